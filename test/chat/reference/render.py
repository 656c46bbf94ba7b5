"""Renders chat templates with Jinja2 and transformers, and conversations with openai-harmony.

Reads requests from standard input, one JSON object per line, and answers each with one line. A request names its kind:

    {"kind": "versions"}
    {"kind": "template", "source": text, "variables": JSON text}     Jinja2 alone, in the environment of transformers
    {"kind": "chat", "source": text, "chat": JSON text}              apply_chat_template, steps around the template included
    {"kind": "mask", "source": text, "chat": JSON text, "tokenizer": path}   with return_assistant_tokens_mask
    {"kind": "characters"}                                           hashes of what str says of each character
    {"kind": "harmony", "call": JSON text}                           render_conversation and its siblings

An answer is {"text": …} (chats also have "spans", the generation spans in code points; masks have "ids" and "mask",
harmony has "ids"), or {"error": type, "line": line of the template or null, "message": …}.
Data comes as JSON text inside the request, so that Python's own json parses what the project's parser has to parse.
"""

import hashlib
import json
import signal
import sys
import unicodedata
from datetime import datetime

NOW = datetime(2026, 7, 4, 15, 4, 5, 678000)
SECONDS_PER_REQUEST = 20


class FrozenClock(datetime):
    @classmethod
    def now(cls, tz=None):
        return NOW


class TooSlow(Exception):
    pass


def template_line(error):
    """The line of the innermost template frame: Jinja2 rewrites tracebacks to the lines of templates."""
    if getattr(error, "lineno", None) is not None and type(error).__module__ == "jinja2.exceptions":
        return error.lineno
    line = None
    frame = error.__traceback__
    while frame is not None:
        if frame.tb_frame.f_code.co_filename == "<template>":
            line = frame.tb_lineno
        frame = frame.tb_next
    return line


def chat_utilities():
    from transformers.utils import chat_template_utils

    chat_template_utils.datetime = FrozenClock
    return chat_template_utils


_tokenizers = {}


def tokenizer_of(path):
    if path not in _tokenizers:
        import tokenizers
        from transformers import PreTrainedTokenizerFast

        made = tokenizers.Tokenizer.from_file(path) if path else tokenizers.Tokenizer(tokenizers.models.BPE())
        _tokenizers[path] = PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<s>", eos_token="</s>")
    return _tokenizers[path]


_environment = None


def render_template(request):
    global _environment
    if _environment is None:
        _environment = chat_utilities()._compile_jinja_template("").environment
    template = _environment.from_string(request["source"])
    return {"text": template.render(**json.loads(request["variables"]))}


def chat_arguments(chat):
    return {
        "tools": chat.get("tools"),
        "documents": chat.get("documents"),
        "add_generation_prompt": chat.get("addGenerationPrompt", False),
        **chat.get("variables", {}),
    }


def render_chat(request):
    utilities = chat_utilities()
    chat = json.loads(request["chat"])
    text = tokenizer_of(None).apply_chat_template(
        chat["messages"],
        chat_template=request["source"],
        continue_final_message=chat.get("continueFinalMessage", False),
        tokenize=False,
        **chat_arguments(chat),
    )
    answer = {"text": text}
    if chat.get("spans"):
        rendered, spans = utilities.render_jinja_template(
            conversations=[[{key: value for key, value in message.items() if value is not None} for message in chat["messages"]]],
            chat_template=request["source"],
            return_assistant_tokens_mask=True,
            **{**tokenizer_of(None).special_tokens_map, **chat_arguments(chat)},
        )
        if rendered[0] != text:
            raise AssertionError("rendering with spans gives another text")
        answer["spans"] = spans[0]
    return answer


def mask_chat(request):
    chat_utilities()
    chat = json.loads(request["chat"])
    out = tokenizer_of(request["tokenizer"]).apply_chat_template(
        chat["messages"],
        chat_template=request["source"],
        return_dict=True,
        return_assistant_tokens_mask=True,
        **chat_arguments(chat),
    )
    return {"ids": list(out["input_ids"]), "mask": list(out["assistant_masks"])}


_harmony = None


def render_harmony(request):
    global _harmony
    import openai_harmony as harmony

    if _harmony is None:
        _harmony = harmony.load_harmony_encoding("HarmonyGptOss")
    call = json.loads(request["call"])
    conversation = harmony.Conversation.from_messages([harmony.Message.from_dict(each) for each in call["messages"]])
    config = harmony.RenderConversationConfig(auto_drop_analysis=call.get("autoDropAnalysis", True))
    if call["how"] == "completion":
        role = harmony.Role(call.get("nextRole", "assistant"))
        return {"ids": _harmony.render_conversation_for_completion(conversation, role, config=config)}
    if call["how"] == "training":
        return {"ids": _harmony.render_conversation_for_training(conversation, config=config)}
    return {"ids": _harmony.render_conversation(conversation, config=config)}


CHARACTERS = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
MAPPINGS = ["lower", "upper", "title"]
PREDICATES = ["isalpha", "isdecimal", "isdigit", "isnumeric", "isspace", "isprintable", "islower", "isupper"]


def hash_characters(_request):
    def hash_of(text):
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    mapped = {name: hash_of("|".join(getattr(each, name)() for each in CHARACTERS)) for name in MAPPINGS}
    told = {name: hash_of("".join("01"[getattr(each, name)()] for each in CHARACTERS)) for name in PREDICATES}
    return {"hashes": {**mapped, **told}}


def versions(_request):
    import jinja2
    import markupsafe
    from importlib.metadata import version

    return {
        "python": ".".join(map(str, sys.version_info[:2])),
        "unicode": unicodedata.unidata_version,
        "jinja2": jinja2.__version__,
        "markupsafe": version("markupsafe"),
        "transformers": version("transformers"),
        "openai-harmony": version("openai-harmony"),
    }


KINDS = {"template": render_template, "chat": render_chat, "mask": mask_chat, "harmony": render_harmony, "characters": hash_characters, "versions": versions}


def give_up(_signal, _frame):
    raise TooSlow()


def main():
    signal.signal(signal.SIGALRM, give_up)
    for line in sys.stdin:
        request = json.loads(line)
        signal.alarm(SECONDS_PER_REQUEST)
        try:
            answer = KINDS[request["kind"]](request)
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # openai-harmony's panics are no Exceptions
            answer = {"error": type(error).__name__, "line": template_line(error), "message": str(error)[:300]}
        finally:
            signal.alarm(0)
        print(json.dumps(answer), flush=True)


main()
