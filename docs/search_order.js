// The order of what the search finds: pages for people first, what was decided and measured after them, modules last.
var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    if (docname.startsWith("reference/api/")) return score - 100;
    if (docname.startsWith("decisions/") || docname.startsWith("results/")) return score - 4;
    if (docname.startsWith("howto/") || docname.startsWith("tutorials/")) return score + 4;
    return score;
  },
  // as Sphinx has them
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
