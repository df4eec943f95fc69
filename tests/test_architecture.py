"""Who may import whom, read from the syntax tree: the house stays a house."""

import ast
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OURS = ("engine", "ui", "pages", "app")
HEAVY = {"torch", "sentence_transformers", "transformers", "mteb"}

# What a part may import of ours, by the longest prefix that names the importer.
BASE = ("engine.errors", "engine.schema", "engine.settings")
MAY_IMPORT = {
    "engine.errors": (),
    "engine.settings": ("engine.errors",),
    "engine.schema": ("engine.errors", "engine.schema"),
    "engine.measures": ("engine.errors", "engine.measures"),
    "engine.store": ("engine", "engine.atomic", "engine.content", "engine.lock", "engine.snapshots", *BASE),
    "engine.snapshots": ("engine.atomic", *BASE),
    "engine.content": BASE,
    "engine.lock": BASE,
    "engine.atomic": (),
    "engine.tabular": ("engine.errors",),
    "engine.analysis": ("engine.analysis", "engine.errors", "engine.measures", "engine.schema"),
    "engine.ingest": (
        *("engine", "engine.ingest", "engine.sweep.record", *BASE),
        *("engine.triplets.counts", "engine.triplets.files", "engine.triplets.items", "engine.triplets.results"),
    ),
    "engine.sweep": ("engine", "engine.atomic", "engine.sweep", "engine.ingest.prompts", "engine.tabular", *BASE),
    "engine.demo": ("engine", "engine.atomic", "engine.demo", "engine.sweep", "engine.ingest.prompts", *BASE),
    "engine.triplets": (
        *("engine", "engine.atomic", "engine.tabular", "engine.progress", "engine.triplets", *BASE),
        *("engine.analysis.triplet_outcomes", "engine.ingest.json_tokens", "engine.sweep"),
    ),
    "engine.answers": (
        *("engine", "engine.answers", "engine.analysis", "engine.measures", "engine.store", *BASE),
        "engine.triplets",
        *("engine.ingest.prompts", "engine.ingest.revisions"),
    ),
    "ui.reads": ("ui", "engine"),
    "ui.charts": ("ui.charts", "ui.formats", "engine.measures", "engine.schema", "engine.errors", "engine.analysis"),
    "ui": (
        *("ui", "engine.measures", "engine.schema", "engine.errors", "engine.analysis", "engine.answers"),
        *("engine.study.board", "engine.study.file"),
    ),
    "pages": ("ui",),
    "app": ("ui", "engine.errors"),
    "engine": ("engine",),
}

# Outside packages that only these parts may import.
ONLY_IN = {
    "duckdb": ("engine.store",),
    "torch": ("engine.sweep", "engine.demo"),
    "sentence_transformers": ("engine.sweep", "engine.demo"),
    "mteb": ("engine.sweep", "engine.demo", "engine.ingest.metadata_export", "engine.fetch_export"),
    "streamlit": ("ui", "pages", "app"),
    "plotly": ("ui.charts",),
}

MODULES = sorted(
    path for part in ("engine", "ui", "pages") for path in (ROOT / part).rglob("*.py")
) + [ROOT / "app.py"]  # fmt: skip


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports_of(path: Path) -> list[tuple[str, int]]:
    """Every imported module with its line; `from a import b` counts as `a.b` where that is a module of ours."""
    return imports_in(ast.walk(ast.parse(path.read_text("utf-8"))))


def imports_at_once(path: Path) -> list[tuple[str, int]]:
    """The same without imports that wait until a function is called; those for types alone count."""
    nodes = ast.parse(path.read_text("utf-8")).body
    return imports_in([*nodes, *(inner for node in nodes if isinstance(node, ast.If) for inner in node.body)])


def imports_in(nodes: Iterable[ast.AST]) -> list[tuple[str, int]]:
    found = []
    for node in nodes:
        if isinstance(node, ast.Import):
            found += [(alias.name, node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                is_module = (ROOT / whole.replace(".", "/")).with_suffix(".py").exists() or (
                    ROOT / whole.replace(".", "/") / "__init__.py"
                ).exists()
                found.append((whole if is_module else node.module, node.lineno))
    return found


def inside(module: str, prefix: str) -> bool:
    return module == prefix or module.startswith(prefix + ".")


def rule_for(module: str) -> tuple[str, ...]:
    prefixes = [prefix for prefix in MAY_IMPORT if inside(module, prefix)]
    return MAY_IMPORT[max(prefixes, key=len)]


def allowed(imported: str, rule: tuple[str, ...]) -> bool:
    # The bare package `engine` stands for its version alone, unless the importer may see everything.
    return any(imported == prefix or (inside(imported, prefix) and prefix != "engine") for prefix in rule) or rule in (
        ("engine",),
        ("ui", "engine"),
    )


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_module_imports_only_what_its_part_may_see(path):
    module = module_name(path)
    ours = [(name, line) for name, line in imports_of(path) if name.split(".")[0] in OURS]
    wrong = [f"{name} (line {line})" for name, line in ours if not allowed(name, rule_for(module))]
    assert not wrong, f"{module} imports {wrong}; it may see {rule_for(module)}"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_outside_package_is_imported_only_behind_its_door(path):
    module = module_name(path)
    wrong = [
        f"{name} (line {line})"
        for name, line in imports_of(path)
        for package, doors in ONLY_IN.items()
        if inside(name, package) and not any(inside(module, door) for door in doors)
    ]
    assert not wrong, f"{module} imports {wrong}"


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_only_settings_reads_the_environment(path):
    if module_name(path) == "engine.settings":
        pytest.skip("the one place that may")
    reads = [
        node.lineno
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv"}
        and isinstance(node.value, ast.Name) and node.value.id == "os"
        and not _hands_on(node, path)
    ]  # fmt: skip
    assert not reads, f"lines {reads} read os.environ; engine.settings is the one place that may"


def _hands_on(node: ast.Attribute, path: Path) -> bool:
    """Passing the whole environment to a child process, or telling a library to stay offline, is not reading it."""
    line = path.read_text("utf-8").splitlines()[node.lineno - 1]
    return "**os.environ" in line or "os.environ.setdefault(" in line or "os.environ.copy()" in line


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_module_says_why_it_exists(path):
    if path.parts[-1] == "page.py":
        pytest.skip("a page's prose is its text.md")
    assert ast.get_docstring(ast.parse(path.read_text("utf-8"))), f"{path} has no module docstring"


def test_no_drawer_modules():
    drawers = {"utils", "helpers", "common", "misc"}
    assert not [path for path in MODULES if path.stem in drawers]


def test_every_page_has_its_prose():
    pages = {path.parent for path in (ROOT / "pages").glob("*/page.py")}
    assert pages and not [page.name for page in pages if not (page / "text.md").exists()]
    assert not list((ROOT / "pages").glob("*.py")), "use pages/<stem>/page.py"


def test_dashboard_needs_neither_torch_nor_mteb():
    """Importing all that a page can reach loads no heavy package."""
    reach = [module_name(p) for p in MODULES if module_name(p).split(".")[0] == "ui"]
    reach += ["engine.store", "engine.inbox", "engine.answers"]
    load = "; ".join(f"import {module}" for module in reach)
    code = f"import sys; {load}; print(sorted({HEAVY!r} & set(sys.modules)))"
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_module_comes_back_to_itself_through_its_imports():
    names = {module_name(path) for path in MODULES}
    imported = {module_name(path): {name for name, _ in imports_at_once(path)} & names for path in MODULES}
    settled: set[str] = set()
    while fresh := {name for name in names - settled if imported[name] <= settled}:
        settled |= fresh
    assert not names - settled, f"{sorted(names - settled)} import each other, or something that does"
