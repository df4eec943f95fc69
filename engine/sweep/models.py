"""Finds a model by what people call it: a folder, a name that mteb registers, or a name on the model hub.

Nothing is downloaded before a model is loaded, and what cannot be had is said in one line, so that the others run.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine.errors import ModelUnavailable
from engine.sweep.encoders import Compute, Encoder, SentenceTransformerEncoder, load_folder
from engine.sweep.hub import why_not_to_be_had
from engine.sweep.libraries import prepare_libraries
from engine.sweep.mteb_style import WrapperStyle
from engine.sweep.plan import SweepModel
from engine.sweep.prompting import PlainPrompts, PromptStyle

if TYPE_CHECKING:
    from mteb.models.model_meta import ModelMeta

PROMPTS_NAME = "config_sentence_transformers.json"
MARKS = ("modules.json", "config.json")
"""Files that say that a folder holds a model."""
HASHED_WHOLE = 8_000_000
"""Bytes up to which a file's whole content is part of a folder's revision; of larger ones its ends and size."""
Result = TypeVar("Result")
UNKNOWN_PARAMETERS = 100_000_000
"""Taken for a model that does not say how large it is: it only spreads work and time."""


def find_model(reference: str, revision: str | None = None, *, trust_remote_code: bool = False) -> SweepModel:
    """The model of that name.

    Args:
        reference: A sentence-transformers folder, a name that mteb registers, or a name on the hub.
        revision: Its revision; None = of a folder the hash of its content, of a registered model mteb's, of another one
            the newest.
        trust_remote_code: Whether code that comes with the model may run.

    Raises:
        ModelUnavailable: There is no such model here, or mteb runs it by other means than sentence-transformers.
    """
    folder = Path(reference).expanduser()
    if folder.is_dir():
        return _of_folder(folder.resolve(), revision, trust_remote_code=trust_remote_code)
    if "/" not in reference or reference.startswith((".", "/", "~")):
        raise ModelUnavailable(
            f"No model {reference!r}: no such folder, and a name on the hub has the form organisation/name. "
            "Check the spelling."
        )
    prepare_libraries()
    meta = _registered(reference, revision)
    if meta is not None:
        return _of_registry(meta, trust_remote_code=trust_remote_code)
    return _of_hub(reference, revision, trust_remote_code=trust_remote_code)


def _of_folder(folder: Path, revision: str | None, *, trust_remote_code: bool) -> SweepModel:
    if not any((folder / name).is_file() for name in MARKS):
        raise ModelUnavailable(
            f"{folder} holds no model: neither {' nor '.join(MARKS)} is in it. Name a sentence-transformers folder."
        )
    name, held = f"local/{folder.name}", folder_revision(folder)
    if revision not in (None, held):
        raise ModelUnavailable(
            f"{folder} holds revision {held}, a hash of its content; expected {revision}. Bring the folder back to "
            "what it was, or name no revision."
        )
    return SweepModel(
        name=name,
        revision=held,
        style=_style_of(name, held, read_built_in(folder)),
        active_parameters=_parameters(folder),
        load=lambda compute: _guarded(
            name, lambda: load_folder(folder, name, held, compute, trust_remote_code=trust_remote_code)
        ),
        describe=lambda: {"framework": ["Sentence Transformers", "PyTorch"]},
    )


def _registered(name: str, revision: str | None) -> ModelMeta | None:
    import mteb

    known = {meta.name: meta for meta in mteb.get_model_metas()}
    meta = known.get(name)
    return meta if meta is None or revision is None else meta.model_copy(update={"revision": revision})


def _of_registry(meta: ModelMeta, *, trust_remote_code: bool) -> SweepModel:
    name, revision = str(meta.name), str(meta.revision or "no_revision_available")
    style = WrapperStyle(meta, lambda: _built_in_of_hub(name, meta.revision))
    style.wrapper  # noqa: B018 - a model of another kind is refused here, not after hours
    active = (meta.n_parameters or UNKNOWN_PARAMETERS) - (meta.n_embedding_parameters or 0)

    def load(compute: Compute) -> Encoder:
        import torch

        options = dict(meta.loader_kwargs or {})
        options["model_kwargs"] = {**options.get("model_kwargs", {}), "dtype": getattr(torch, compute.dtype)}
        if options.get("trust_remote_code") and not trust_remote_code:
            raise ModelUnavailable(
                f"{name} runs code of its own, which is not allowed unless asked for. "
                "Allow it in the study: {name = …, trust_remote_code = true}."
            )
        _expect_in_reach(name, meta.revision)
        wrapper: Any = meta.loader(name, revision=meta.revision, device=compute.device, **options)  # type: ignore[misc]
        return SentenceTransformerEncoder(wrapper.model, name, revision, compute)

    return SweepModel(
        name=name,
        revision=revision,
        style=style,
        active_parameters=max(1, active),
        load=lambda compute: _guarded(name, lambda: load(compute)),
        describe=partial(_described, meta),
    )


def _described(meta: ModelMeta) -> dict[str, Any]:
    return {key: value for key, value in meta.to_dict().items() if key not in ("loader", "name", "revision")}


def _of_hub(name: str, revision: str | None, *, trust_remote_code: bool) -> SweepModel:
    held = _guarded(name, lambda: _hub_revision(name, revision))

    def load(compute: Compute) -> Encoder:
        from huggingface_hub import snapshot_download

        folder = snapshot_download(name, revision=held)
        return load_folder(folder, name, held, compute, trust_remote_code=trust_remote_code)

    return SweepModel(
        name=name,
        revision=held,
        style=_style_of(name, held, _built_in_of_hub(name, held)),
        active_parameters=UNKNOWN_PARAMETERS,
        load=lambda compute: _guarded(name, lambda: load(compute)),
        describe=lambda: {"framework": ["Sentence Transformers", "PyTorch"]},
    )


def _style_of(name: str, revision: str, built_in: Mapping[str, Any]) -> PromptStyle:
    """How mteb would put prompts before the texts of a model that it does not register; without any it is not asked."""
    if not built_in.get("prompts"):
        return PlainPrompts()
    prepare_libraries()
    from mteb.models.model_meta import ModelMeta
    from mteb.models.sentence_transformer_wrapper import SentenceTransformerEncoderWrapper

    fields = {"name": name, "revision": revision, "loader": SentenceTransformerEncoderWrapper, "loader_kwargs": {}}
    return WrapperStyle(ModelMeta.create_empty().model_copy(update=fields), lambda: built_in)


def _hub_revision(name: str, revision: str | None) -> str:
    """The commit that a revision, or the newest state, stands for: asked of the hub, or found in its cache."""
    if revision is not None and re.fullmatch(r"[0-9a-f]{40}", revision):
        return revision
    from huggingface_hub import HfApi, constants, snapshot_download

    if constants.is_offline_mode():
        return Path(snapshot_download(name, revision=revision, local_files_only=True)).name
    return str(HfApi().model_info(name, revision=revision).sha)


def _built_in_of_hub(name: str, revision: str | None) -> Mapping[str, Any]:
    """The prompts that a model's own files bring.

    Where they cannot be read, nobody knows what its default prompts are: it is refused, not taken for a model without.
    """
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError, LocalEntryNotFoundError

    def read() -> Mapping[str, Any]:
        _expect_in_reach(name, revision)
        try:
            return _read_config(Path(hf_hub_download(name, PROMPTS_NAME, revision=revision)))
        except LocalEntryNotFoundError:
            if not _has_weights_here(name, revision):
                raise
        except EntryNotFoundError:
            pass
        return {}

    return _guarded(name, read)


def _has_weights_here(name: str, revision: str | None) -> bool:
    """A model's weights are here: loaders fetch the small files first, so one that is missing does not exist."""
    from huggingface_hub import try_to_load_from_cache

    found = [try_to_load_from_cache(name, mark, revision=revision) for mark in MARKS]
    folders = [Path(path).parent for path in found if isinstance(path, str)]
    return any(_weights(folder) for folder in folders)


def _expect_in_reach(name: str, revision: str | None) -> None:
    """Raise at once what the hub raises where a model is neither here nor to be had; a download tries for minutes."""
    from huggingface_hub import HfApi, constants, try_to_load_from_cache

    is_here = any(isinstance(try_to_load_from_cache(name, mark, revision=revision), str) for mark in MARKS)
    if not is_here and not constants.is_offline_mode():
        HfApi().model_info(name, revision=revision)


def read_built_in(folder: Path) -> Mapping[str, Any]:
    """The prompts that a model's folder brings, and the name of the one that is always used."""
    path = folder / PROMPTS_NAME
    return _read_config(path) if path.is_file() else {}


def _read_config(path: Path) -> Mapping[str, Any]:
    try:
        config = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise ModelUnavailable(f"{path} is no JSON ({error}); expected the model's settings. Get it anew.") from error
    prompts = config.get("prompts") or {} if isinstance(config, dict) else config
    if not isinstance(prompts, dict) or not all(isinstance(text, str) for text in prompts.values()):
        raise ModelUnavailable(
            f"{path} holds {str(prompts)[:40]!r}; expected an object whose prompts are texts by name. Get it anew."
        )
    return dict(config)


def folder_revision(folder: Path) -> str:
    """A hash over a folder's files: names, sizes and contents (of large files the two ends), 40 hexadecimal digits."""
    digest = sha256()
    for path in sorted(each for each in folder.rglob("*") if each.is_file() and ".git" not in each.parts):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder).as_posix()}\0{size}\0".encode())
        with path.open("rb") as file:
            digest.update(file.read(HASHED_WHOLE))
            if size > HASHED_WHOLE:
                file.seek(max(HASHED_WHOLE, size - HASHED_WHOLE))
                digest.update(file.read())
    return digest.hexdigest()[:40]


def _parameters(folder: Path) -> int:
    """Roughly how many parameters a folder's weights hold, at two bytes each."""
    weights = sum(path.stat().st_size for path in _weights(folder))
    return max(1, weights // 2) if weights else UNKNOWN_PARAMETERS


def _weights(folder: Path) -> list[Path]:
    return [path for pattern in ("*.safetensors", "*.bin") for path in folder.glob(pattern)]


def _guarded(name: str, call: Callable[[], Result]) -> Result:
    """What a call gives; where the hub refuses or is out of reach, one line that says so."""
    try:
        return call()
    except Exception as error:
        if not _is_of_hub(error):
            raise
        why = why_not_to_be_had(error)
        if why is not None:
            raise ModelUnavailable(f"{name} cannot be had: {why}") from error
        first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ModelUnavailable(f"{name} cannot be loaded: {first} Check the name, the network and the disk.") from error


def _is_of_hub(error: Exception) -> bool:
    """The hub's answer, the network's, or the disk's: nothing that is wrong here."""
    from huggingface_hub.errors import HfHubHTTPError

    # The hub's client is one library or its successor: both derive what the network raises from `TransportError`.
    is_of_network = any(base.__name__ == "TransportError" for base in type(error).__mro__)
    return is_of_network or isinstance(error, HfHubHTTPError | OSError)
