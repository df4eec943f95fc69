import pytest
from streamlit.testing.v1 import AppTest


def _page():
    import streamlit as st

    from ui import selectors, state

    state.enter_page(st.query_params.get("page", "a"))
    task = selectors.pick_one("Task", ["STS14", "STS15"], parameter="task")
    models = selectors.pick_many("Models", ["a/m1", "a/m2", "b/m3"], parameter="model")
    view = selectors.pick_view("View", ["all cells", "one task"], parameter="view")
    selectors.pick_number("Low", 0.1, parameter="low")
    st.text(f"{task}|{models}|{view}")
    for note in state.unknown_values():
        st.code(f"{note.parameter}={note.value} -> {note.instead}")


def page(**query_params) -> AppTest:
    at = AppTest.from_function(_page)
    for name, value in query_params.items():
        at.query_params[name] = value
    return at.run()


def test_pickers_start_at_their_defaults():
    at = page()
    assert at.text[0].value == "STS14|()|all cells"
    assert not at.code


def test_pickers_take_their_values_from_the_url():
    at = page(task="STS15", model=["b/m3", "a/m1"], view="one task")
    assert at.text[0].value == "STS15|('a/m1', 'b/m3')|one task"
    assert not at.code


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"task": "Foo"}, "task=Foo -> STS14"),
        ({"model": ["a/m1", "gone"]}, "model=gone -> a/m1"),
        ({"model": ["gone"]}, "model=gone -> all"),
        ({"view": "<b>"}, "view=<b> -> all cells"),
        ({"low": "much"}, "low=much -> 0.1"),
        ({"low": "5"}, "low=5 -> 0.1"),
    ],
)
def test_a_url_value_that_is_no_option_is_named(asked, named):
    at = page(**asked)
    assert [code.value for code in at.code] == [named]


def test_a_named_value_stays_until_the_visitor_chooses_anew():
    at = page(task="Foo")
    at.multiselect[0].select("a/m2").run()
    assert [code.value for code in at.code] == ["task=Foo -> STS14"]
    at.selectbox[0].select("STS15").run()
    assert not at.code


def test_a_named_value_is_forgotten_on_another_page():
    at = page(task="Foo")
    at.query_params["page"] = "b"
    at.run()
    assert not at.code


def _named_page():
    import streamlit as st

    from ui import selectors, state

    state.keep("rule")
    is_drawn = st.toggle("draw", value=True, key="draw")
    words = {"best": "best prompts", "worst": "worst prompts", "same": "same"}
    rule = selectors.pick_named("Rule", words, parameter="rule", default="worst") if is_drawn else "not drawn"
    st.text(rule)


def named_page(**query_params) -> AppTest:
    at = AppTest.from_function(_named_page)
    for name, value in query_params.items():
        at.query_params[name] = value
    return at.run()


@pytest.mark.parametrize(
    ("asked", "picked"),
    [({}, "worst"), ({"rule": "best"}, "best"), ({"rule": "best prompts"}, "best"), ({"rule": "same"}, "same")],
)
def test_named_values_are_understood_as_words_and_as_commands_take_them(asked, picked):
    at = named_page(**asked)
    assert at.text[0].value == picked
    assert not at.exception


def test_a_choice_outlives_a_rerun_that_does_not_draw_it():
    at = named_page(rule="best")
    at.toggle(key="draw").set_value(False).run()
    assert at.text[0].value == "not drawn"
    at.toggle(key="draw").set_value(True).run()
    assert at.text[0].value == "best"
