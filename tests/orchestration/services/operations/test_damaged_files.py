"""A changed byte anywhere is detected, before anything is replaced."""

import hashlib
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from orchestration.config.settings import Settings
from orchestration.services.operations.backup import write_backup
from orchestration.services.operations.backup_archive import BackupError, verify_backup
from orchestration.services.operations.compaction import compact
from orchestration.services.operations.restore import restore_backup
from orchestration.storage.block_checksums import damage_in
from orchestration.storage.warehouse import open_warehouse
from orchestration.storage.warehouse_damage import WarehouseDamagedError
from tests.orchestration.homes import NOW, everything, rewritten, settings_of

PLACES = 50


@pytest.fixture
def gappy(lived_in: Settings) -> Settings:
    """Build a warehouse with an index, views, and free blocks."""
    with open_warehouse(lived_in.warehouse_path) as con:
        con.execute("""
            create table main.dropped as select range as id, md5(range::varchar) as text
            from range(30000);
            create table main.kept (id integer primary key, text varchar);
            insert into main.kept select range, md5(range::varchar) from range(20000);
            create view main.seen as select * from main.kept;
            checkpoint;
            drop table main.dropped;
            checkpoint;
        """)
        (free,) = con.execute("select free_blocks from pragma_database_size()").fetchone() or (0,)
        assert free > 0
    return lived_in


def flips(size: int) -> Iterator[tuple[int, int]]:
    """Yield offsets in a file, and the bit to flip there."""
    chance = random.Random(7)  # noqa: S311 - places, not secrets
    for _ in range(PLACES):
        yield chance.randrange(size), 1 << chance.randrange(8)


def flip(path: Path, place: int, bit: int) -> None:
    with path.open("r+b") as file:
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ bit]))


def test_a_backup_refuses_a_warehouse_with_any_changed_byte(
    gappy: Settings, tmp_path: Path
) -> None:
    """A select reads neither indexes nor free blocks, so their damage was copied into backups."""
    path = gappy.warehouse_path
    for place, bit in flips(path.stat().st_size):
        flip(path, place, bit)
        with pytest.raises(WarehouseDamagedError, match="spotter restore FILE --replace"):
            write_backup(gappy, tmp_path / "b.tar", NOW, lambda _: None)
        flip(path, place, bit)
    assert not (tmp_path / "b.tar").exists()
    write_backup(gappy, tmp_path / "b.tar", NOW, lambda _: None)


def test_verification_and_restore_refuse_an_archive_with_any_changed_byte(
    backup: Path, lived_in: Settings
) -> None:
    """Also in headers and padding of the archive, which no file's hash covers."""
    assert verify_backup(backup, print).format == 2
    before = everything(lived_in.home)
    for place, bit in [*flips(backup.stat().st_size), (507, 1), (backup.stat().st_size - 1, 1)]:
        flip(backup, place, bit)
        with pytest.raises(BackupError, match="no complete backup"):
            verify_backup(backup, lambda _: None)
        with pytest.raises(BackupError, match="no complete backup"):
            restore_backup(lived_in, backup, NOW, lambda _: None, is_replacing=True)
        flip(backup, place, bit)
    assert everything(lived_in.home) == before
    verify_backup(backup, print)


def test_a_damaged_warehouse_in_an_archive_of_before_is_not_restored(
    gappy: Settings, tmp_path: Path
) -> None:
    """Its hash is valid, because it was damaged before the copy."""
    file = tmp_path / "b.tar"
    write_backup(gappy, file, NOW, print)
    there = settings_of(tmp_path / "new")
    content = gappy.warehouse_path.read_bytes()
    for place, bit in flips(len(content)):
        damaged = content[:place] + bytes([content[place] ^ bit]) + content[place + 1 :]
        digest = hashlib.sha256(damaged).hexdigest()

        def change(
            name: str, told: bytes, damaged: bytes = damaged, digest: str = digest
        ) -> tuple[str, bytes]:
            if name == "home/warehouse.duckdb":
                return name, damaged
            if name == "backup.json":
                contents = json.loads(told)
                contents["files"]["home/warehouse.duckdb"] = digest
                return name, json.dumps(contents).encode()
            return name, told

        old = rewritten(file, change)
        with pytest.raises(BackupError, match="damaged before it was backed up"):
            verify_backup(old, lambda _: None)
    with pytest.raises(BackupError, match="damaged before it was backed up"):
        restore_backup(there, old, NOW, print, is_replacing=False)
    assert not there.warehouse_path.exists()


def test_compaction_repairs_damage_in_space_that_no_data_uses(gappy: Settings) -> None:
    path = gappy.warehouse_path
    content = path.read_bytes()
    outcomes: set[str] = set()
    for place in range(12_288 + 1000, len(content), 262_144):
        path.write_bytes(content)
        flip(path, place, 1)
        try:
            compact(gappy, NOW, lambda _: None)
        except WarehouseDamagedError:
            outcomes.add("refused")
        else:
            outcomes.add("repaired")
            with path.open("rb") as file:
                assert damage_in(file) is None
            with duckdb.connect(path, read_only=True) as con:
                assert con.execute("select count(*) from main.kept").fetchall() == [(20000,)]
        if len(outcomes) == 2:
            break
    assert outcomes == {"refused", "repaired"}


def test_free_blocks_that_a_checkpoint_cut_off_are_no_damage(tmp_path: Path) -> None:
    """The header counts them still; without one block more the file is damaged."""
    path = tmp_path / "cut.duckdb"
    with duckdb.connect(path) as con:
        for name in ("kept", "dropped"):
            con.execute(f"create table {name} as select sha256(n::varchar) from range(50000) t(n)")
            con.execute("checkpoint")
        con.execute("drop table dropped")
        con.execute("checkpoint")
    with path.open("rb") as file:
        assert damage_in(file) is None
    size = path.stat().st_size
    os.truncate(path, size - 262_144)
    with path.open("rb") as file:
        assert str(damage_in(file)).startswith("it ends before block")
