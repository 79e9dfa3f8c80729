"""What `Answer.as_data` makes is what the JSON interface declares, and what a study over HTTP expects of it."""

import bestdo
from bestdo.study import Study
from bestdo.study.remote_answers import BEST, misfit
from bestdo.web import api_answers

SHOP = bestdo.Graph.parse("device -> sale; banner -> sale; banner -> refund", reward="sale", success="1")
LOSS = bestdo.Variable("loss", number=bestdo.Number(0, 10), unit="t")
NUMBER = bestdo.Graph.of([bestdo.Variable("x"), LOSS], [("x", "loss")], reward="loss", aim="minimise")
DOUBTS = bestdo.Doubts.parse("shade -> yield; rain ?0.3-> yield", reward="yield", success="1")
LIMIT = bestdo.Limit("refund", "1", at_most=0.5)
STUDIES = [
    (bestdo.Problem(SHOP, set=["banner"], limits=LIMIT, goal="earn"), {}),
    (bestdo.Problem(SHOP, set=["banner"], first=["device"], limits=LIMIT), {}),
    (bestdo.Problem(SHOP, set=["banner"]), {"until_sure": 0.95}),
    (bestdo.Problem(SHOP, set=["banner"], retired=["do(banner=0)"]), {}),
    (bestdo.Problem(NUMBER), {}),
    (bestdo.Problem(DOUBTS), {}),
]


def test_the_same_fields_are_made_declared_and_expected(url):
    made, listed = set(), set()
    for i, (problem, more) in enumerate(STUDIES):
        data = Study.create(problem, 40, name=f"study {i}", storage=url, **more).findings().as_data()
        assert api_answers.Best(**data).model_dump(exclude_unset=True) == data
        assert misfit(data, BEST) == ""
        made |= data.keys()
        listed |= {name for one in data["actions"] for name in one}
    assert made == set(api_answers.Best.model_fields)
    assert listed == set(api_answers.ListedAction.model_fields)
    expected = {**BEST.needed, **BEST.optional}
    assert expected.keys() <= made
    assert {**expected["actions"].each.needed, **expected["actions"].each.optional}.keys() <= listed
