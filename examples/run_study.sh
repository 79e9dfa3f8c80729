#!/bin/sh
# Runs a whole study from a shell, by the command line alone: ask, play, tell, until the study has finished.
# It can be killed at any moment and started again: it continues with the round that was open.
#
#     examples/run_study.sh [ROUNDS [WORKERS]]     (BESTDO_STORAGE says where; sqlite:///bestdo.db when not set)
#
# With several workers, each asks for its own rounds at the same time; as many rounds as workers are planned at once.
set -eu

rounds=${1:-40}
workers=${2:-1}
# The seed of the simulated seasons. Another weather may end with another action than the best, do(moisture=wet): chance is
# part of a small experiment.
export WEATHER="${WEATHER:-0}"
farm=$(dirname "$0")/farm.toml

# One simulated season: reads the round that was asked for, prints what was seen.
season='
import json, os, sys
import bestdo, numpy as np
farm = bestdo.read(sys.argv[1])
asked = json.load(sys.stdin)[0]
chances = farm.model.distribution(farm.graph.names, bestdo.do(asked["set"]))
drawn = np.random.default_rng([int(os.environ["WEATHER"]), asked["number"]]).choice(chances.size, p=chances.ravel())
seen = np.unravel_index(drawn, chances.shape)
print(*(f"{v.name}={v.values[i]}" for v, i in zip(farm.graph.variables, seen)))
'
number='import json, sys; print(json.load(sys.stdin)[0]["number"])'

finished='import json, sys; sys.exit(not json.load(sys.stdin)["finished"])'

work() { # NAME: asks, plays and tells until the study has finished
    while :; do
        code=0
        asked=$(bestdo ask --study seasons --worker "$1" -f json 2>/dev/null) || code=$?
        case $code in
        0) ;;
        3) # nothing to hand out: finished, or others are still playing
            if bestdo status --study seasons -f json | python3 -c "$finished"; then return 0; fi
            sleep 1
            continue
            ;;
        *) return "$code" ;;
        esac
        round=$(printf '%s' "$asked" | python3 -c "$number")
        seen=$(printf '%s' "$asked" | python3 -c "$season" "$farm")
        # shellcheck disable=SC2086  # one word for each variable
        bestdo tell --study seasons "$round" $seen --who "$1"
    done
}

bestdo new "$farm" --name seasons --rounds "$rounds" --load-if-exists -f json >/dev/null
others=""
for i in $(seq 2 "$workers"); do
    work "shell $i" &
    others="$others $!"
done
work "shell 1"
for other in $others; do wait "$other"; done
bestdo best --study seasons
