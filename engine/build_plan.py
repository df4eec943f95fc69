"""What a build has to do: sources whose files changed, sources that are gone, triplet sets and token counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from engine.ingest.metadata import mteb_version
from engine.ingest.scan import EMPTY_SCAN, Scan, scan_source
from engine.schema import FILES
from engine.settings import Settings
from engine.sources import Source, read_sources, source_problems
from engine.store import Snapshot
from engine.sweep.record import TASKS_FILE
from engine.triplet_intake import OwnFiles, plan_own_files

PORTION_BYTES = 300_000_000
"""Result files that are read before their scores go into the draft."""


@dataclass(frozen=True)
class SourcePlan:
    """What a build has to do about one source."""

    source: Source
    scan: Scan
    starts_over: bool
    """Nothing of it is in the store, or what is there came from another path or was read by another version of mteb."""
    problems: Mapping[str, str] = field(default_factory=dict)
    """What stands in the way of reading it, by path."""
    noted: Mapping[str, str] = field(default_factory=dict)
    """The same as the snapshot has it."""

    @property
    def is_out_of_reach(self) -> bool:
        """Its folder or file is not there or is none; a prompt file that cannot be read keeps no result away."""
        return str(self.source.path) in self.problems

    @property
    def portions(self) -> tuple[Scan, ...]:
        """What has to be read, cut so that it fits into memory where the store holds nothing of it yet."""
        return self.scan.portions(PORTION_BYTES) if self.starts_over else (self.scan,)

    @property
    def is_unchanged(self) -> bool:
        """Its rows in the store are still right."""
        return self.problems == self.noted and not self.starts_over and self.scan.is_unchanged


@dataclass(frozen=True)
class Plan:
    """What a build has to do."""

    sources: tuple[SourcePlan, ...]
    gone: tuple[str, ...]
    """Sources in the store that are no longer registered."""
    mteb_version: str | None
    """Version of mteb that the metadata shall come from."""
    own_files: OwnFiles
    """Triplet sets and token counts, which belong to no source."""

    @property
    def problems(self) -> tuple[str, ...]:
        """Why a source, or its prompt file, cannot be read."""
        return tuple(f"{each.source.name}: {reason}" for each in self.sources for reason in each.problems.values())

    def is_done_by(self, base: Snapshot) -> bool:
        """A snapshot already holds all of it."""
        known = base.read("SELECT mteb_version FROM snapshot").item()
        sources = not self.gone and all(each.is_unchanged for each in self.sources) and known == self.mteb_version
        return sources and self.own_files.is_unchanged


def plan_build(settings: Settings, base: Snapshot | None) -> Plan:
    """What must be read so that the store agrees with the sources, seen from a snapshot or from nothing."""
    registered = read_sources(settings)
    known = (
        {row["source_name"]: row for row in base.read("SELECT * FROM sources").iter_rows(named=True)} if base else {}
    )
    # The sides of a run follow from its task's type: another version of mteb may see it differently.
    same_mteb = base is not None and base.read("SELECT mteb_version FROM snapshot").item() == mteb_version()
    plans = [_plan_source(source, base, known.get(source.name) if same_mteb else None) for source in registered]
    gone = tuple(sorted(known.keys() - {source.name for source in registered}))
    return Plan(tuple(plans), gone, mteb_version(), plan_own_files(settings, base))


def _plan_source(source: Source, base: Snapshot | None, known: Mapping[str, object] | None) -> SourcePlan:
    """What must be read of one source, given its row of SOURCES where the snapshot can be gone on from."""
    problems, noted = source_problems(source), _noted_problems(source, base)
    if str(source.prompts) in problems:
        source = replace(source, prompts=None)
    if str(source.path) in problems:
        return SourcePlan(source, EMPTY_SCAN, False, problems, noted)
    # Rows that were kept without their files may be older than all else in the store.
    is_same = known and (known["path"], known["source_kind"]) == (str(source.path), source.kind.value)
    if base and is_same and str(source.path) not in noted:
        ledger = base.read("SELECT * FROM files WHERE source_name = ?", [source.name])
        refused = base.read("SELECT DISTINCT path FROM rejects WHERE source_name = ?", [source.name])["path"]
        scan = scan_source(source.path, source.kind, ledger, refused.to_list())
        # Which sides a run has follows from its task's type, so other descriptions of tasks concern every run.
        if TASKS_FILE not in (*scan.changed, *scan.removed):
            return SourcePlan(source, scan, False, problems, noted)
    return SourcePlan(source, scan_source(source.path, source.kind, FILES.schema.to_frame()), True, problems, noted)


def _noted_problems(source: Source, base: Snapshot | None) -> dict[str, str]:
    if base is None:
        return {}
    paths = [str(path) for path in (source.path, source.prompts) if path]
    noted = base.read(
        "SELECT path, reason FROM rejects WHERE source_name = ? AND path IN (SELECT unnest(?))", [source.name, paths]
    )
    return dict(noted.iter_rows())
