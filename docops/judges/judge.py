"""A judge: a model behind an endpoint, whose answers are recorded by the digest of the request and replayed from there."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from docops.core.canonical import digest, sha256
from docops.core.errors import Problem, UsageError
from docops.reading import read_toml

#: What a request is sent with: prompt, pictures (PNG or JPEG), temperature, most tokens; gives the answer's text.
Send = Callable[[str, Sequence[bytes], float, int], str]

_KEYS = frozenset({"provider", "model", "base_url", "api_key_env", "temperature", "max_tokens", "seconds"})


@dataclass(frozen=True, slots=True)
class JudgeConfig:
    """Which model is asked, and how.

    provider: `openai` or `anthropic`, or what speaks their protocol at `base_url`.
    api_key_env: name of the environment variable that holds the key.   seconds: time limit of one request.
    """

    provider: str
    model: str
    base_url: str = ""
    api_key_env: str = ""
    temperature: float = 0.0
    max_tokens: int = 1024
    seconds: float = 60.0


def read_config(path: Path) -> JudgeConfig:
    """The configuration in a TOML file.

    Raises UsageError with everything that is wrong with it.
    """
    problems: list[Problem] = []
    raw = read_toml(path, path.name, problems)
    if raw is None:
        raise UsageError("; ".join(map(str, problems)))
    wrong = [f"unknown key {key!r}" for key in raw if key not in _KEYS]
    wrong += [f"{key} is missing" for key in ("provider", "model") if not isinstance(raw.get(key), str)]
    wrong += [f"{key} is a text" for key in ("base_url", "api_key_env") if not isinstance(raw.get(key, ""), str)]
    numbers = ("temperature", "max_tokens", "seconds")
    wrong += [f"{key} is a number" for key in numbers if isinstance(raw.get(key, 0), bool) or not isinstance(raw.get(key, 0), (int, float))]
    if raw.get("provider") not in ("openai", "anthropic"):
        wrong.append("provider is openai or anthropic")
    if wrong:
        raise UsageError(f"{path}: {'; '.join(wrong)}")
    return JudgeConfig(**raw)


class Record:
    """Answers by the digest of their request, in a file of JSON lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.answers: dict[str, str] = {}
        if path.exists():
            try:
                for line in path.read_text("utf-8").splitlines():
                    entry = json.loads(line)
                    if sha256(entry["answer"].encode()) != entry["answer_sha256"]:
                        raise ValueError(f"the answer to {entry['request'][:12]} is not the one that was recorded")
                    self.answers[entry["request"]] = entry["answer"]
            except (OSError, ValueError, KeyError, TypeError) as error:
                raise UsageError(f"{path}: is no record of a judge: {error}") from error

    def keep(self, request: str, answer: str) -> None:
        """Add an answer to the file."""
        self.answers[request] = answer
        entry = {"answer": answer, "answer_sha256": sha256(answer.encode()), "request": request}
        try:
            with self.path.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(entry, sort_keys=True, ensure_ascii=False) + "\n")
        except OSError as error:
            raise UsageError(f"{self.path}: cannot be written: {error.strerror}") from error


@dataclass(slots=True)
class Judge:
    """Answers requests from the record; asks the model where there is one and the record has no answer.

    name: the model, part of every request's digest.   run: number of a repeated evaluation, part of it too.
    send: None: offline, only what is recorded is answered.
    """

    name: str
    record: Record | None = None
    send: Send | None = None
    run: int = 1
    temperature: float = 0.0
    max_tokens: int = 1024
    problems: list[str] = field(default_factory=list)

    def answer(self, prompt: str, images: Sequence[bytes] = (), *, temperature: float | None = None) -> str | None:
        """The model's text, or None where it is neither recorded nor to be had."""
        heat = self.temperature if temperature is None else temperature
        request = digest({"model": self.name, "prompt": prompt, "images": [sha256(image) for image in images], "temperature": heat, "run": self.run})
        if self.record is not None and request in self.record.answers:
            return self.record.answers[request]
        if self.send is None:
            return None
        try:
            text = self.send(prompt, images, heat, self.max_tokens)
        except Exception as error:  # whatever a client library raises: the model did not answer
            self.problems.append(f"{type(error).__name__}: {error}")
            return None
        if self.record is not None:
            self.record.keep(request, text)
        return text

    def answer_leaf(self, question: Mapping[str, Any]) -> str | None:
        """The answer to a question of a rubric's leaf."""
        heat = question.get("temperature")
        images = [Path(path).read_bytes() for path in question.get("images", []) if Path(path).is_file()]
        return self.answer(str(question["prompt"]), images, temperature=float(heat) if isinstance(heat, (int, float)) else None)


def make_judge(config: JudgeConfig, record: Path | None, *, run: int = 1, offline: bool = False) -> Judge:
    """The judge of a configuration.

    record: file of recorded answers.   offline: never ask, only replay.
    Raises UsageError where its client library is not installed or the key is missing.
    """
    send = None if offline else _sender(config)
    kept = Record(record) if record is not None else None
    return Judge(config.model, kept, send, run, float(config.temperature), int(config.max_tokens))


def _sender(config: JudgeConfig) -> Send:
    key = os.environ.get(config.api_key_env, "") if config.api_key_env else "none"
    if not key:
        raise UsageError(f"the environment variable {config.api_key_env} holds no key for the judge")
    return (_openai if config.provider == "openai" else _anthropic)(config, key)


def _openai(config: JudgeConfig, key: str) -> Send:
    try:
        import openai
    except ImportError:
        raise UsageError("this judge needs the package openai: pip install 'docops-verifier[judge]'") from None
    client: Any = openai.OpenAI(api_key=key, base_url=config.base_url or None, timeout=config.seconds, max_retries=2)

    def send(prompt: str, images: Sequence[bytes], temperature: float, max_tokens: int) -> str:
        parts: list[Any] = [{"type": "text", "text": prompt}]
        parts += [{"type": "image_url", "image_url": {"url": f"data:{_type(image)};base64,{_base64(image)}"}} for image in images]
        messages: list[Any] = [{"role": "user", "content": parts if images else prompt}]
        answer = client.chat.completions.create(model=config.model, messages=messages, temperature=temperature, max_tokens=max_tokens)
        return str(answer.choices[0].message.content or "")

    return send


def _anthropic(config: JudgeConfig, key: str) -> Send:
    try:
        import anthropic
    except ImportError:
        raise UsageError("this judge needs the package anthropic: pip install 'docops-verifier[judge]'") from None
    client: Any = anthropic.Anthropic(api_key=key, base_url=config.base_url or None, timeout=config.seconds, max_retries=2)

    def send(prompt: str, images: Sequence[bytes], temperature: float, max_tokens: int) -> str:
        parts: list[Any] = [{"type": "image", "source": {"type": "base64", "media_type": _type(image), "data": _base64(image)}} for image in images]
        parts.append({"type": "text", "text": prompt})
        messages: list[Any] = [{"role": "user", "content": parts}]
        # Not every version of the library has the parameter, and every endpoint takes it.
        answer = client.messages.create(model=config.model, messages=messages, max_tokens=max_tokens, extra_body={"temperature": temperature})
        return "".join(str(block.text) for block in answer.content if block.type == "text")

    return send


def _type(image: bytes) -> str:
    return "image/png" if image.startswith(b"\x89PNG") else "image/jpeg"


def _base64(image: bytes) -> str:
    return base64.b64encode(image).decode("ascii")
