"""Random laws for the tests of designs, and answers by listing all states that share no code with the library."""

import itertools

import numpy as np
from scipy.optimize import minimize

from bestdo.causal.action import Actions
from bestdo.causal.graph import Graph, Variable
from bestdo.causal.model import Model
from bestdo.causal.unlisted_law import ModelLaw, ProductLaw
from bestdo.design.parallel_design import Settings


def random_table(rng):
    """A law of up to 12 actions and 24 states: dense, sparse, or degenerate in one of many ways."""
    actions, states = int(rng.integers(1, 13)), int(rng.integers(1, 25))
    law = rng.dirichlet(np.full(states, rng.choice([0.05, 0.3, 1, 5])), actions)
    kind = rng.integers(8)
    if kind == 1:
        law = law * (rng.random(law.shape) < 0.4)
    elif kind == 2:
        law = law[rng.integers(0, actions, actions)]  # equal actions
    elif kind == 3:
        law[:, rng.random(states) < 0.5] = 0  # states that nobody reaches
    elif kind == 4:
        law = np.eye(states)[rng.integers(0, states, actions)]  # deterministic
    elif kind == 5:
        law[rng.random(law.shape) < 0.3] *= 1e-12
    elif kind == 6:
        law = law[:, rng.integers(0, states, states)] * rng.random(states)  # proportional states
    elif kind == 7:
        law = law[:1]
    law[law.sum(axis=1) == 0, 0] = 1
    return law / law.sum(axis=1, keepdims=True)


def m_by_hand(law, eta):
    """max_a sum_x P_a(x)^2 / Q(x), 0/0 = 0, with plain loops over actions."""
    q = eta @ law
    worst = 0.0
    for row in law:
        on = row > 0
        worst = max(worst, float((row[on] ** 2 / q[on]).sum()) if (q[on] > 0).all() else np.inf)
    return worst


def slsqp(law):
    """The epigraph form, with Jacobians, by SciPy's SLSQP from the uniform design: the design it stops at."""
    law = law[:, law.sum(axis=0) > 0]
    count = len(law)
    start = np.append(np.full(count, 1 / count), m_by_hand(law, np.full(count, 1 / count)))
    square = law**2

    def slack(point):
        return point[-1] - square @ (1 / np.maximum(point[:-1] @ law, 1e-12))

    def slope(point):
        q = np.maximum(point[:-1] @ law, 1e-12)
        return np.column_stack([(square / q**2) @ law.T, np.ones(count)])

    constraints = [
        {"type": "ineq", "fun": slack, "jac": slope},
        {"type": "eq", "fun": lambda p: p[:-1].sum() - 1, "jac": lambda p: np.append(np.ones(count), 0.0)},
    ]
    bounds = [(0, 1)] * count + [(1, None)]
    found = minimize(
        lambda p: p[-1],
        start,
        jac=lambda p: np.append(np.zeros(count), 1.0),
        bounds=bounds,
        constraints=constraints,
        method="SLSQP",
        options={"maxiter": 200, "ftol": 1e-10},
    )
    eta = np.maximum(found.x[:-1], 0)
    return eta / eta.sum()


def settings_of(marginals, do=True, keep=None):
    """All single settings of independent variables (those that `keep` picks), and do()."""
    pairs = [(i, j) for i, m in enumerate(marginals) for j in range(len(m)) if keep is None or keep(i, j)]
    pairs += [(-1, 0)] * (do or not pairs)
    variable, value = np.array(pairs, np.intp).T
    return Settings([np.asarray(m, float) for m in marginals], variable, value)


def listed(settings):
    """The law of all states of independent variables under each action: float[A, X]."""
    states = np.array(list(itertools.product(*(range(len(m)) for m in settings.marginals))))
    rows = []
    for variable, value in zip(settings.variable, settings.value, strict=True):
        row = np.ones(len(states))
        for k, marginal in enumerate(settings.marginals):
            row = row * ((states[:, k] == value) if k == variable else np.asarray(marginal)[states[:, k]])
        rows.append(row)
    return np.array(rows)


def parallel_law(marginals):
    """The product law of X0, X1, ... -> Y with all single settings."""
    variables = [Variable(f"X{i}", tuple(map(str, range(len(m))))) for i, m in enumerate(marginals)]
    graph = Graph.of([*variables, Variable("Y")], [(v.name, "Y") for v in variables], reward="Y")
    return ProductLaw(Actions.single(graph), tuple(np.asarray(m, float) for m in marginals))


def model_law(variables, arrows, tables, parents, on=None):
    """The law of the reward's parents in a model of all variables but the reward."""
    model = Model(Graph.of(variables, arrows), tables)
    graph = Graph.of([*variables, Variable("Y")], [*arrows, *((p, "Y") for p in parents)], reward="Y")
    return ModelLaw(Actions.single(graph, on), model)


def confounded_law(tables, z=(0.8, 0.2), set_z=True, also_z=False):
    """Z -> X_i -> Y, one table float[2, 2] per X; Z itself a parent of the reward if `also_z`."""
    names = [f"X{i}" for i in range(len(tables))]
    variables = [Variable("Z"), *map(Variable, names)]
    given = {"Z": np.array(z), **{n: np.array(t) for n, t in zip(names, tables, strict=True)}}
    parents = [*names, *["Z"] * also_z]
    return model_law(variables, [("Z", n) for n in names], given, parents, [*names, *["Z"] * set_z])


def chain_law(tables, on=None):
    """X0 -> X1 -> ..., all of them parents of the reward; tables float[values before, values]."""
    names = [f"X{i}" for i in range(len(tables))]
    variables = [Variable(n, tuple(map(str, range(t.shape[-1])))) for n, t in zip(names, tables, strict=True)]
    given = {n: t if i else t.reshape(-1) for i, (n, t) in enumerate(zip(names, tables, strict=True))}
    return model_law(variables, list(itertools.pairwise(names)), given, names, on)


def model_table(law):
    """P(parents | a) of a ModelLaw at all states, by multiplying out the joint law: float[A, X]."""
    graph, names = law.model.graph, list(law.order)
    sizes = [graph.size(n) for n in names]
    rows = []
    for action in law.actions:
        joint = np.ones(sizes)
        for name in names:
            own = [*graph.parents[name], name]
            table = law.model.tables[name]
            if name in action:
                own, table = [name], np.eye(graph.size(name))[graph.variable(name).code(action[name])]
            order = sorted(range(len(own)), key=lambda k: names.index(own[k]))
            shape = [graph.size(n) if n in own else 1 for n in names]
            joint = joint * table.transpose(order).reshape(shape)
        summed = joint.sum(axis=tuple(i for i, n in enumerate(names) if n not in law.parents))
        left = [n for n in names if n in law.parents]
        rows.append(summed.transpose([left.index(n) for n in law.parents]).ravel())
    return np.array(rows)
