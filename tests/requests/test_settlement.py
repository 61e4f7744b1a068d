from voice_hitl.requests.settlement import Settlement, SettlementKind


def test_a_settlement_is_compared_with_its_siblings() -> None:
    siblings = [
        Settlement.ACCEPTED,
        Settlement.DUPLICATE,
        Settlement.LATE,
        Settlement.UNKNOWN,
        Settlement.NOT_ALLOWED,
        Settlement.INVALID("not a number"),
    ]
    assert len(set(siblings)) == 6
    assert {settlement.kind for settlement in siblings} == set(SettlementKind)
    assert Settlement(SettlementKind.LATE) == Settlement.LATE


def test_an_invalid_answer_says_why() -> None:
    assert Settlement.INVALID("not a number").why == "not a number"
