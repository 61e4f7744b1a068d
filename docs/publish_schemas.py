"""Writes the JSON Schemas for front ends: `python docs/publish_schemas.py`, whenever `questions/schema.py` changed."""

import json
from pathlib import Path

from voice_hitl.questions.schema import answer_schema, question_schema

PUBLISHED = Path(__file__).parents[1] / "voice_hitl" / "static"


def main() -> None:
    """Write both."""
    for name, schema in (("question", question_schema()), ("answer", answer_schema())):
        (PUBLISHED / f"{name}.schema.json").write_text(json.dumps(schema, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
