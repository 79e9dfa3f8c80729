#!/bin/sh
# The example of the farm from the graph to the recommendation; all files that it makes are left in a folder.
#
#     examples/demo.sh [FOLDER]        (out when not given; SIMS simulations of the paper's figure, WORLDS in the rehearsal)
set -eu
cd "$(dirname "$0")/.."
out=${1:-out}
sims=${SIMS:-10000}
worlds=${WORLDS:-500}
mkdir -p "$out"

say() { printf '\n== %s\n\n' "$*"; }

say "A farmer may warm the soil, feed it or water it. What does the graph say before a single season is paid for?"
bestdo check examples/farm.toml
bestdo draw examples/farm.toml -o "$out/farm.svg"

say "How many seasons are enough? The experiment is rehearsed on worlds that agree with the graph."
bestdo rehearse examples/farm.toml --rounds 20,60 --worlds "$worlds" -o "$out"

say "If all seasons had to be planned at once: the optimal fixed plan, as a sheet to fill in."
rm -f "$out/plan.csv" "$out/plan.json" # of an earlier demo
bestdo design examples/farm.toml --rounds 60 -o "$out/plan.csv"

say "Her neighbour kept books: 400 seasons in which nobody set anything. A study that starts with them knows much already."
rm -f "$out/old.db"
bestdo new examples/farm.toml --rounds 60 --storage "sqlite:///$out/old.db"
bestdo observe examples/farm_log.csv --storage "sqlite:///$out/old.db"
bestdo ask --storage "sqlite:///$out/old.db"

say "She has no such books, and goes season by season."
python examples/farmer.py "$out"
bestdo best --storage "sqlite:///$out/farm.db" --picture "$out/seasons.svg" >"$out/best.txt"

say "The paper's three panels, $sims simulations each: what using the graph is worth"
bestdo figure regret-vs-m regret-vs-horizon-small-gap regret-vs-horizon --sims "$sims" -o "$out"

say "Where everything is"
cat <<END
$out/farm.db         the study: bestdo status --storage sqlite:///$out/farm.db, or bestdo serve with the same
$out/seasons.svg     how the estimates moved over the 60 seasons
$out/old.db          the study that starts with old data
$out/farm.svg        the graph
$out/rehearse.svg    what more seasons would buy
$out/plan.csv        the fixed plan
$out/regret-vs-*     the paper's figure: tables and pictures
END
