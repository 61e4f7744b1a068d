"""What can be asked of a person, and what counts as an answer: data, and the rules on it. Pure."""

from voice_hitl.questions.answer import Answer
from voice_hitl.questions.ask_human import parse_ask_human
from voice_hitl.questions.check import check, check_answer
from voice_hitl.questions.form import parse_form
from voice_hitl.questions.model import Approval, Choice, Confirm, Form, Number, Option, Question, Text
from voice_hitl.questions.schema import answer_schema, question_schema
from voice_hitl.questions.wire import question_from_wire, request_kind, respond, to_wire

__all__ = [
    "Answer",
    "Approval",
    "Choice",
    "Confirm",
    "Form",
    "Number",
    "Option",
    "Question",
    "Text",
    "answer_schema",
    "check",
    "check_answer",
    "parse_ask_human",
    "parse_form",
    "question_from_wire",
    "question_schema",
    "request_kind",
    "respond",
    "to_wire",
]
