"""Coach: answers, plans and their outcomes, memories, and cost of the language model."""

from functools import partial

import streamlit as st

from coach_agent.asking.question import LONGEST_QUESTION
from coach_agent.asking.wish import wish_in
from dashboard.correction_forms import (
    forget_answer,
    offer_memory_decision,
    offer_proposal,
    read_on_request,
)
from dashboard.forms import offer_decisions
from dashboard.page import Page, choose_part
from dashboard.released import Row
from dashboard.tables import show_table
from dashboard.wording import moment_text, plain
from orchestration.config.settings import Settings
from orchestration.services.answers.ask import QUESTIONS, Reply, ask, models_for
from orchestration.services.answers.training import Training
from orchestration.services.requests.athlete_requests import Command, RequestError, read_output
from orchestration.text.plan import state_words

FORECASTS = """
    select
        count(*) as forecast_count,
        avg(abs(reps_error)) as mean_error,
        avg(cast(actual_reps between predicted_reps_low and predicted_reps_high as integer))
            as covered
    from fct_prescription_outcome
    where athlete_id = $1 and reps_error is not null and predicted_reps_low is not null
"""
CALIBRATION = """
    select
        least(floor(predicted_success_probability * 5), 4) as part,
        count(*) as set_count,
        avg(predicted_success_probability) as stated,
        avg(cast(outcome in ('hit', 'exceeded') as integer)) as came
    from fct_prescription_outcome
    where
        athlete_id = $1
        and predicted_success_probability is not null
        and outcome in ('hit', 'exceeded', 'missed')
    group by part order by part
"""
OUTCOMES = """
    select
        rule_version,
        count(*) filter (where outcome in ('hit', 'exceeded')) as reached,
        count(*) filter (where outcome = 'missed') as missed,
        count(*) filter (where outcome = 'not_done') as not_done,
        max(decided_at) as latest
    from fct_prescription_outcome
    where athlete_id = $1
    group by rule_version
    having reached + missed + not_done > 0
    order by latest desc
"""
DECISIONS = """
    select
        decision_id, any_value(plan_id) as plan_id, max(decided_at) as decided_at,
        any_value(decided_by) as decided_by, count(*) as set_count,
        count(*) filter (where outcome in ('hit', 'exceeded')) as reached,
        count(*) filter (where outcome = 'pending') as pending,
        count(*) filter (where outcome = 'superseded') as superseded
    from fct_prescription_outcome
    where athlete_id = $1
    group by decision_id order by 3 desc, 1 limit 20
"""
DECIDED_OF = """
    select distinct decision_id, exercise_index + 1 as number, exercise_title
    from fct_prescription_outcome
    where athlete_id = $1
    order by 1, 2
"""
MODEL = """
    select
        provider, coalesce(model, '') as model, count(*) as request_count,
        count(*) filter (where outcome in ('retry', 'error')) as unanswered,
        sum(input_tokens) as read_tokens, sum(output_tokens) as written_tokens,
        sum(cost_usd) as cost_usd
    from fct_llm_call
    where athlete_id = $1
    group by all order by request_count desc, provider, model
"""
COMPARED = """
    select
        count(*) as pair_count, avg(engine_miss_pct) as engine, avg(model_miss_pct) as model
    from fct_plan_comparison where athlete_id = $1
"""


PARTS = ("Ask", "Plans", "Memory", "Model")


def show(page: Page) -> None:
    """Draw the chosen part."""
    st.title("Coach")
    match choose_part(PARTS):
        case "Plans":
            _show_current(page)
            _show_forecasts(page)
            _show_outcomes(page)
            _show_decisions(page)
            _offer_reasons(page)
        case "Memory":
            _show_memories(page)
        case "Model":
            _show_model(page)
        case _:
            _answer_question(page)


def _show_current(page: Page) -> None:
    """Draw the state of the current plan, with its approval and rollback."""
    st.header("Current plan")
    report = page.plan
    if report is None:
        st.markdown("No plan yet; it shows here after the first night with a routine or a file.")
        return
    words = state_words(report.publication_state, page.profile).split(": spotter")[0]
    st.markdown(f"**{plain(report.plan.routine_title)}**: {plain(words)}")
    mode = "preview" if page.profile is None else page.profile.publish.mode
    offer_decisions(page.settings, page.athlete_id, report, mode, has_published=page.has_published)


def _show_memories(page: Page) -> None:
    """Draw what the coach has learned, read by a command on request: releases do not hold it."""
    command = ("memory", f"--athlete={page.athlete_id}", "--json")
    st.markdown(
        "What the coach has learned from your training and check-ins, such as your usual days. No "
        "plan depends on it."
    )
    found = read_on_request(page.settings, "Show", command, page.released.manifest.run_id)
    if found is None:
        return
    if not found:
        st.info("Nothing yet. Nightly runs learn from your training, after some weeks of it.")
    for memory in found:
        with st.container(border=True):
            st.markdown(
                f"**{plain(memory['text'])}**  \n{memory['status']}, confidence "
                f"{memory['confidence']:.0%}, last seen {memory['last_seen']}"
            )
            offer_memory_decision(
                page.settings,
                page.athlete_id,
                memory["number"],
                memory["version"],
                partial(forget_answer, command),
            )


def _answer_question(page: Page) -> None:
    """Answer a question by rules from the release of the page, with the sources on request."""
    question = st.text_input("Ask", placeholder=QUESTIONS[2], max_chars=LONGEST_QUESTION)
    if not question.strip():
        examples = " · ".join(QUESTIONS[:6])
        st.caption(plain(f"Answers come from your data, with their sources. Try: {examples}"))
        _offer_proposals(page)
        return
    training = Training(
        page.released, page.athlete_id, page.zone, page.unit, page.profile, page.now
    )
    reply = ask(training, question)
    is_wish = reply.status in {"not_understood", "declined"} and wish_in(question) is not None
    has_model = page.profile is not None and models_for(
        page.profile, page.settings.keys, training, reply
    )
    place, found = st.container(), None
    if is_wish or has_model:
        command = ("ask", f"--athlete={page.athlete_id}", "--json", "--", question)
        label = "Propose it" if is_wish else "Ask the language model"
        found = read_on_request(page.settings, label, command, page.released.manifest.run_id)
    with place:
        if found is not None:
            answer = Reply.model_validate(found)
            _show_reply(answer)
            for number in answer.proposals:
                offer_proposal(
                    page.settings, page.athlete_id, number, partial(forget_answer, command)
                )
        elif is_wish:
            st.markdown("I can propose this. Nothing is done until you accept it.")
        else:
            _show_reply(reply)


def _offer_proposals(page: Page) -> None:
    """Draw the open proposals on request, also those of an assistant over MCP."""
    command = ("ask", f"--athlete={page.athlete_id}", "--proposals", "--json")
    run_id = page.released.manifest.run_id
    found = read_on_request(page.settings, "Open proposals", command, run_id)
    if found is None:
        return
    if not found:
        st.markdown("No proposal is open.")
    for each in found:
        number = each["proposal"]["number"]
        with st.container(border=True):
            st.markdown(plain(f"{number}. {each['text']} {each['problem'] or ''}"))
            on_decide = partial(forget_answer, command)
            offer_proposal(page.settings, page.athlete_id, number, on_decide)


def _show_reply(reply: Reply) -> None:
    """Draw the text of a reply, its author if that is a model, and its sources on request."""
    if reply.note is not None:
        st.warning(plain(reply.note))
        return
    if reply.status == "stop":
        st.error(plain(reply.text))
        return
    # Two blanks end a line in Markdown.
    st.markdown(plain(reply.text).replace("\n", "  \n"))
    if reply.status == "answered" and reply.answered_by != "rules":
        st.caption(plain(f"Selected by {reply.answered_by} among the coach's answers."))
    if reply.facts:
        with st.expander("Sources"):
            show_table([{"Shown": fact.shown, "Row": fact.source.text} for fact in reply.facts])


def _show_forecasts(page: Page) -> None:
    st.header("Forecasts")
    [found] = page.rows(FORECASTS)
    if not found["forecast_count"]:
        st.markdown(
            "No planned set was trained yet. Forecast errors show here after the first one."
        )
        return
    error, covered = st.columns(2)
    error.metric("Off by, on average", f"{found['mean_error']:.1f} reps")
    covered.metric("Inside the 80 % interval", f"{found['covered']:.0%}")
    st.caption(f"Of {found['forecast_count']} sets.")
    if rows := page.rows(CALIBRATION):
        show_table(
            [
                {
                    "Chance stated": f"{row['stated']:.0%}",
                    "Came true": f"{row['came']:.0%}",
                    "Sets": row["set_count"],
                }
                for row in rows
            ]
        )


def _show_outcomes(page: Page) -> None:
    rows = page.rows(OUTCOMES)
    if not rows:
        return
    st.header("Outcomes by version of the rules")
    show_table(
        [
            {
                "Rules": row["rule_version"][:12],
                "Reached": row["reached"],
                "Missed": row["missed"],
                "Not done": row["not_done"],
            }
            for row in rows
        ]
    )


def _show_decisions(page: Page) -> None:
    st.header("Decisions")
    rows = page.rows(DECISIONS)
    if not rows:
        st.markdown("None yet. A plan shows here with its result once it is published.")
        return
    show_table(
        [
            {
                "Decided": moment_text(page.utc(row["decided_at"]), page.zone),
                "By": row["decided_by"],
                "Sets": row["set_count"],
                "Reached": _reached_text(row),
            }
            for row in rows
        ]
    )


def _reached_text(row: Row) -> str:
    if row["pending"]:
        return "not trained yet"
    if row["superseded"] == row["set_count"]:
        return "replaced before it was trained"
    return str(row["reached"])


def _offer_reasons(page: Page) -> None:
    """Offer the explanation and the replay of a decision."""
    standing = page.plan
    titles: dict[str, str] = {}
    exercises: dict[str, dict[int, str]] = {}
    if standing is not None:
        titles[standing.plan_id] = f"Current plan: {standing.plan.routine_title}"
        exercises[standing.plan_id] = {
            slot.exercise_index + 1: slot.exercise_title for slot in standing.plan.slots
        }
    for row in page.rows(DECISIONS):
        if standing is None or row["plan_id"] != standing.plan_id:
            decided = moment_text(page.utc(row["decided_at"]), page.zone)
            titles[row["decision_id"]] = f"{decided}: {row['decision_id']}"
    if not titles:
        return
    for row in page.rows(DECIDED_OF):
        exercises.setdefault(row["decision_id"], {})[row["number"]] = row["exercise_title"]
    st.header("Explain or replay a decision")
    decision = st.selectbox("Decision", list(titles), format_func=titles.__getitem__)
    known = exercises.get(decision, {})
    number = st.selectbox(
        "Exercise", list(known), format_func=lambda number: f"{number}. {known[number]}"
    )
    with st.container(horizontal=True):
        explains = st.button("Explain", disabled=number is None)
        replays = st.button("Replay")
    if explains:
        _show_output(page, ("explain", decision, str(number)))
    elif replays:
        _show_output(page, ("replay", decision))
    st.caption(
        "Explain shows each step from your sets to the target. Replay decides again from the "
        "stored input and compares byte for byte."
    )


def _show_output(page: Page, command: Command) -> None:
    try:
        with st.spinner("Reading …"):
            output = _output(page.settings, page.released.manifest.run_id, command)
    except RequestError as error:
        st.error(plain(str(error)))
        return
    st.code(output, language=None, wrap_lines=True)


@st.cache_data(max_entries=100, show_spinner=False)
def _output(_settings: Settings, run_id: str, command: Command) -> str:
    """Run a command with a cache; `run_id` is part of the key, so another run repeats it."""
    return read_output(_settings, command)


def _show_model(page: Page) -> None:
    st.header("Language model")
    rows = page.rows(MODEL)
    if not rows:
        st.markdown(
            "No model is in use: the rules decide alone. Costs show here after its first request."
        )
        return
    show_table(
        [
            {
                "Model": " ".join(part for part in (row["provider"], row["model"]) if part),
                "Requests": row["request_count"],
                "Not usable": row["unanswered"],
                "Tokens read": f"{row['read_tokens'] or 0:,}",
                "Written": f"{row['written_tokens'] or 0:,}",
                "Cost": "unknown" if row["cost_usd"] is None else f"{row['cost_usd']:.4f} USD",
            }
            for row in rows
        ]
    )
    [compared] = page.rows(COMPARED)
    if compared["pair_count"]:
        nearer = "The model was" if compared["model"] < compared["engine"] else "The rules were"
        st.markdown(
            f"{nearer} closer to your sets: the model's targets were {compared['model']:.1f} % "
            f"off, the rules' {compared['engine']:.1f} %, in {compared['pair_count']} exercises "
            "where they differed."
        )
