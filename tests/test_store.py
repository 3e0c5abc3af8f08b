import contextlib
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from llama_index.core.schema import NodeRelationship, RelatedNodeInfo, TextNode
from llama_index.core.vector_stores import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters, VectorStoreQuery
from llama_index.core.vector_stores.types import VectorStoreQueryMode
from pydantic import ValidationError
from qdrant_client import models
from qdrant_client.local.qdrant_local import QdrantLocal

from citator.errors import StoreError
from citator.store import Store, StoreOptions, base, folder, open_store, piece_id

DIMENSION = 8


class QdrantOverHttp(BaseHTTPRequestHandler):
    """The part of Qdrant's REST interface that a store uses, answered by qdrant-client's own local mode."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        length = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(length) or "{}")
        path = self.path.split("?")[0].strip("/").split("/")
        with self.server.lock:  # type: ignore[attr-defined]
            result = self.call(self.server.qdrant, path[1], self.command, "/".join(path[2:]), body)  # type: ignore[attr-defined]
        sent = json.dumps({"time": 0, "status": "ok", "result": plain(result)}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def call(self, qdrant: QdrantLocal, name: str, method: str, what: str, body: dict[str, object]) -> object:
        where = models.Filter.model_validate(body["filter"]) if body.get("filter") else None
        match method, what:
            case "GET", "exists":
                return {"exists": qdrant.collection_exists(name)}
            case "PUT", "":
                wanted = models.CreateCollection.model_validate(body)
                return qdrant.create_collection(name, wanted.vectors, wanted.sparse_vectors)
            case "GET", "":
                info = plain(qdrant.get_collection(name))
                schema = {key: {"data_type": "keyword", "points": 0} for key in self.server.indexed}  # type: ignore[attr-defined]
                return {**info, "payload_schema": schema}  # type: ignore[dict-item]
            case "PUT", "index":
                self.server.indexed.append(body["field_name"])  # type: ignore[attr-defined]
                return {"operation_id": 0, "status": "completed"}
            case "PUT", "points":
                return qdrant.upsert(name, models.PointsList.model_validate(body).points)
            case "POST", "points/delete":
                return qdrant.delete(name, models.FilterSelector(filter=where or models.Filter()))
            case "POST", "points/scroll":
                asked = models.ScrollRequest.model_validate(body)
                found, offset = qdrant.scroll(
                    name, where, asked.limit or 10, None, asked.offset, asked.with_payload or False, asked.with_vector or False
                )
                return {"points": found, "next_page_offset": offset}
            case "POST", "points/query/batch":
                return qdrant.query_batch_points(name, models.QueryRequestBatch.model_validate(body).searches)
            case "POST", "points/count":
                return qdrant.count(name, where)
            case "POST", "facet":
                return qdrant.facet(name, str(body["key"]), where, limit=1000)
        raise AssertionError(f"{method} {what}")

    do_GET = do_PUT = do_POST = answer  # noqa: N815

    def log_message(self, *_: object) -> None:
        pass


def plain(value: object) -> object:
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value.model_dump(mode="json") if hasattr(value, "model_dump") else value


@pytest.fixture
def server() -> Iterator[str]:
    http = ThreadingHTTPServer(("127.0.0.1", 0), QdrantOverHttp)
    http.qdrant, http.indexed, http.lock = QdrantLocal(":memory:"), [], threading.Lock()  # type: ignore[attr-defined]
    http.daemon_threads = True
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}"
    http.shutdown()
    thread.join()
    http.server_close()


@pytest.fixture(params=["edge", "local", "server"])
def options(request: pytest.FixtureRequest) -> StoreOptions:
    if request.param == "server":
        return StoreOptions(type="server", url=request.getfixturevalue("server"))
    return StoreOptions(type=request.param)


@pytest.fixture
def store(options: StoreOptions, tmp_path: Path) -> Iterator[Store]:
    opened = open_store(options, tmp_path, "f00d", DIMENSION)
    yield opened
    if options.type == "server":
        with opened:
            opened.client.close()


@pytest.fixture
def edge(tmp_path: Path) -> Store:
    return open_store(StoreOptions(), tmp_path, "f00d", DIMENSION, wait=0.2)


def vector(seed: int, dimension: int = DIMENSION) -> list[float]:
    drawn = np.random.default_rng(seed).normal(size=dimension)
    return [float(x) for x in drawn / np.linalg.norm(drawn)]


def piece(record: str, number: int = 0, count: int = 1, *, source: str = "notes", text: str = "", **more: object) -> TextNode:
    metadata = {"source": source, "record": record, "hash": f"hash of {record}", "piece": number, "pieces": count, **more}
    return TextNode(
        text=text or f"{record} piece {number}",
        metadata=metadata,
        excluded_embed_metadata_keys=list(metadata),
        embedding=vector(sum(f"{record}{number}".encode())),
    )


def where(key: str, value: object, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilter:
    return MetadataFilter(key=key, value=value, operator=operator)  # type: ignore[arg-type]


def found(store: Store, *filters: MetadataFilter, condition: FilterCondition = FilterCondition.AND) -> set[str]:
    nodes = store.get_nodes(filters=MetadataFilters(filters=list(filters), condition=condition) if filters else None)
    return {node.metadata["record"] for node in nodes}


def test_a_query_gives_the_nearest_pieces_as_they_were_added(store: Store) -> None:
    nodes = [piece(f"r{n}", title="Größe 大きさ 📏", date="2026-01-01", label="", kind="note") for n in range(5)]
    ids = store.add(nodes)
    result = store.query(VectorStoreQuery(query_embedding=nodes[3].embedding, similarity_top_k=3))
    assert result.ids and result.nodes and result.similarities
    assert len(result.ids) == 3
    assert result.ids[0] == ids[3] == piece_id("notes", "r3", "hash of r3", 0)
    assert result.nodes[0].get_content() == "r3 piece 0"
    assert result.nodes[0].metadata == nodes[3].metadata
    assert result.similarities == sorted(result.similarities, reverse=True)
    assert result.similarities[0] == pytest.approx(1, abs=1e-5)


def test_a_query_by_words_finds_the_rare_word_in_the_sources_asked_for(store: Store) -> None:
    common = [piece(f"r{n}", text=f"the database of team {n}") for n in range(5)]
    store.add([*common, piece("rare", text="zookeeper in the database"), piece("other", source="else", text="zookeeper")])
    own = MetadataFilters(filters=[where("source", "notes")])
    result = store.query(
        VectorStoreQuery(query_str="zookeeper database", mode=VectorStoreQueryMode.SPARSE, similarity_top_k=9, filters=own)
    )
    assert result.nodes
    assert result.nodes[0].metadata["record"] == "rare"
    assert len(result.nodes) == 6


@pytest.mark.parametrize(
    ("filters", "condition", "expected"),
    [
        ([where("kind", "note")], FilterCondition.AND, {"a", "b"}),
        ([where("kind", "note", FilterOperator.NE)], FilterCondition.AND, {"c"}),
        ([where("record", ["a", "c"], FilterOperator.IN)], FilterCondition.AND, {"a", "c"}),
        ([where("record", ["a", "c"], FilterOperator.NIN)], FilterCondition.AND, {"b"}),
        ([where("kind", "note"), where("project", "p")], FilterCondition.AND, {"a"}),
        ([where("kind", "decision"), where("project", "p")], FilterCondition.OR, {"a", "c"}),
        ([where("kind", "decision")], FilterCondition.NOT, {"a", "b"}),
        ([where("pieces", 1, FilterOperator.GT)], FilterCondition.AND, {"c"}),
        ([where("pieces", 1)], FilterCondition.AND, {"a", "b"}),
        ([where("project", None, FilterOperator.IS_EMPTY)], FilterCondition.AND, {"b", "c"}),
    ],
)
def test_llama_index_filters_choose_pieces(
    store: Store, filters: list[MetadataFilter], condition: FilterCondition, expected: set[str]
) -> None:
    store.add([piece("a", kind="note", project="p"), piece("b", kind="note"), piece("c", 0, 2, kind="decision")])
    assert found(store, *filters, condition=condition) == expected


def test_an_unknown_filter_or_mode_is_refused_and_not_ignored(store: Store) -> None:
    with pytest.raises(StoreError, match="not supported"):
        found(store, where("kind", "note", FilterOperator.ANY))
    with pytest.raises(StoreError, match="'mmr'"):
        store.query(VectorStoreQuery(query_embedding=vector(1), mode=VectorStoreQueryMode.MMR))


def test_pieces_are_deleted_by_document_by_id_and_by_filter(store: Store) -> None:
    nodes = [piece(name) for name in "abcde"]
    nodes[0].relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="document 1")
    ids = store.add(nodes)
    store.delete("document 1")
    assert found(store) == set("bcde")
    store.delete_nodes(node_ids=[ids[1]])
    assert found(store) == set("cde")
    either = MetadataFilters(filters=[where("record", "c"), where("record", "d")], condition=FilterCondition.OR)
    store.delete_nodes(node_ids=[ids[2]], filters=either)
    assert found(store) == set("de")
    store.delete_nodes()
    store.delete_nodes(node_ids=[], filters=MetadataFilters(filters=[]))
    assert found(store) == set("de")
    store.clear()
    assert store.count() == 0


def test_get_nodes_gives_the_document_and_the_embedding_back(store: Store) -> None:
    node = piece("a")
    node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id="document 1")
    (id_,) = store.add([node])
    (back,) = store.get_nodes(node_ids=[id_])
    assert back.ref_doc_id == "document 1"
    assert back.get_embedding() == pytest.approx(node.embedding, abs=1e-6)
    assert store.get_nodes(node_ids=[piece_id("no", "such", "piece", 0)]) == []


def test_the_same_pieces_added_again_are_there_once(store: Store) -> None:
    store.add([piece("a"), piece("b")])
    store.add([piece("a", text="written anew")])
    assert store.count() == 2
    assert {node.get_content() for node in store.get_nodes()} == {"written anew", "b piece 0"}


def test_hashes_tell_what_is_whole_what_misses_pieces_and_what_is_there_twice(store: Store) -> None:
    store.add([piece("whole", 0, 2), piece("whole", 1, 2), piece("torn", 1, 2), piece("twice"), piece("twice", hash="old")])
    store.add([piece("elsewhere", source="else")])
    states = store.hashes("notes")
    assert {name: (sorted(state.hashes), state.complete) for name, state in states.items()} == {
        "whole": (["hash of whole"], True),
        "torn": (["hash of torn"], False),
        "twice": (["hash of twice", "old"], True),
    }
    assert [name for name in states if states[name].is_whole(f"hash of {name}")] == ["whole"]
    assert store.hashes("nothing") == {}


def test_deleting_the_old_leaves_the_new_and_all_other_records(store: Store) -> None:
    store.add([piece("a", hash="old"), piece("a", hash="new"), piece("b"), piece("a", source="else")])
    store.delete_old("notes", "a", "new")
    assert store.hashes("notes")["a"].is_whole("new")
    assert store.sources() == {"notes": 2, "else": 1}


def test_records_and_sources_are_removed_alone(store: Store) -> None:
    store.add([piece(name, source=source) for name in "abc" for source in ("one", "two")])
    store.delete_records("one", {"a", "b", "not there"})
    store.delete_records("one", set())
    assert store.sources() == {"one": 1, "two": 3}
    store.forget("two")
    store.forget("never was")
    assert store.sources() == {"one": 1}
    assert (store.count(), store.count(["one"]), store.count(["two"]), store.count([])) == (1, 1, 0, 0)


def test_vectors_of_equal_content_are_found_under_any_source_but_only_complete(store: Store) -> None:
    pieces = [piece("long", n, 12) for n in range(12)]
    store.add([*reversed(pieces), piece("torn", 0, 2), piece("long", 3, 12, source="else")])
    known = store.vectors_by_hash(["hash of long", "hash of torn", "unknown"])
    assert list(known) == ["hash of long"]
    assert np.allclose(known["hash of long"], [node.embedding for node in pieces], atol=1e-6)
    assert store.vectors_by_hash([]) == {}


def test_pieces_of_the_sources_asked_for_are_texts_and_a_matrix(store: Store) -> None:
    store.add([piece("a"), piece("b"), piece("c", source="else")])
    texts, sources, vectors = store.pieces(["notes", "else"])
    assert sorted(texts) == ["a piece 0", "b piece 0", "c piece 0"]
    assert (vectors.shape, vectors.dtype) == ((3, DIMENSION), np.float32)
    assert np.allclose(vectors[texts.index("c piece 0")], piece("c").embedding, atol=1e-6)
    assert sources[texts.index("c piece 0")] == "else"
    texts, sources, vectors = store.pieces(["nothing"])
    assert (texts, sources, vectors.shape) == ([], [], (0, DIMENSION))


def test_what_was_written_is_there_after_reopening(options: StoreOptions, tmp_path: Path) -> None:
    open_store(options, tmp_path, "f00d", DIMENSION).add([piece("a")])
    assert open_store(options, tmp_path, "f00d", DIMENSION).hashes("notes")["a"].is_whole("hash of a")


def test_every_model_has_a_collection_of_its_own(options: StoreOptions, tmp_path: Path) -> None:
    first, second = (open_store(options, tmp_path, name, DIMENSION) for name in ("one", "two"))
    first.add([piece("a")])
    assert (first.count(), second.count()) == (1, 0)


def test_vectors_of_another_length_are_refused(store: Store, options: StoreOptions, tmp_path: Path) -> None:
    wrong = piece("a")
    wrong.embedding = vector(1, 5)
    with pytest.raises(StoreError, match="'a': its vector has 5 dimensions, the store's have 8"):
        store.add([piece("b"), wrong])
    with pytest.raises(StoreError, match="8 dimensions, asked with one of 5"):
        store.query(VectorStoreQuery(query_embedding=vector(1, 5)))
    assert store.count() == 0
    with pytest.raises(StoreError, match=r"vectors of .*model's 5"):
        open_store(options, tmp_path, "f00d", 5).count()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"path": "/a\udcff"}, "its path is not valid Unicode"),
        ({"title": "half an emoji \ud83d"}, "its title is not valid Unicode"),
    ],
)
def test_text_that_cannot_be_encoded_is_refused_by_name(edge: Store, change: dict[str, str], named: str) -> None:
    with pytest.raises(StoreError, match=named):
        edge.add([piece("good"), piece("bad", **change)])
    assert edge.count() == 0


def test_a_broken_vector_or_a_foreign_node_is_refused_by_name(edge: Store) -> None:
    broken = piece("broken")
    broken.embedding = [float("nan")] * DIMENSION
    with pytest.raises(StoreError, match="'broken': its vector is not finite"):
        edge.add([broken])
    with pytest.raises(StoreError, match="without 'source' in its metadata"):
        edge.add([TextNode(text="foreign", embedding=vector(1))])


def test_more_pieces_than_a_page_come_back_complete(edge: Store) -> None:
    with edge:
        for start in range(0, 10_050, 670):
            edge.add([piece(f"r{n}") for n in range(start, start + 670)])
        assert edge.count() == len(edge.hashes("notes")) == len(edge.pieces(["notes"])[2]) == len(edge.get_nodes()) == 10_050


def test_everything_on_disk_is_for_the_user_alone(options: StoreOptions, tmp_path: Path) -> None:
    home = tmp_path / "deep" / "store"
    open_store(options, home, "f00d", DIMENSION).add([piece("a")])
    assert [path for path in (tmp_path / "deep").rglob("*") if path.stat().st_mode & 0o077] == []
    assert options.type == "server" or home.stat().st_mode & 0o777 == 0o700


def test_each_type_loads_its_own_engine_only() -> None:
    code = """
import sys
import citator.options
assert not {"llama_index", "qdrant_edge", "qdrant_client"} & set(sys.modules)
import citator.store.edge
assert "qdrant_client" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def child(code: str, home: Path, *arguments: object) -> "subprocess.Popen[str]":
    start = (
        "import sys, time; from pathlib import Path; from llama_index.core.schema import TextNode\n"
        "from citator.store import StoreOptions, open_store\n"
        f"store = open_store(StoreOptions(type=sys.argv[2]), Path(sys.argv[1]), 'f00d', {DIMENSION}, wait=30)\n"
    )
    command = [sys.executable, "-c", start + code, str(home), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("type_", ["edge", "local"])
def test_a_second_process_is_told_who_holds_the_store_and_gets_it_when_that_one_dies(type_: str, tmp_path: Path) -> None:
    other = child("store.__enter__(); print('held', flush=True); time.sleep(60)", tmp_path, type_)
    assert other.stdout and other.stdout.readline() == "held\n"
    store = open_store(StoreOptions(type=type_), tmp_path, "f00d", DIMENSION, wait=0.1)  # type: ignore[arg-type]
    with pytest.raises(StoreError, match=f"in use by process {other.pid} .*try again$"):
        store.count()
    other.kill()
    other.wait()
    other.stdout.close()
    assert store.count() == 0


def test_processes_take_turns_when_each_holds_the_store_for_a_batch_only(tmp_path: Path) -> None:
    writing = """
for n in range(20):
    with store:
        metadata = {"source": "child", "record": str(n), "hash": "h", "piece": 0, "pieces": 1}
        store.add([TextNode(text="t", metadata=metadata, embedding=[0.5] * 8)])
    time.sleep(0.03)
"""
    other = child(writing, tmp_path, "edge")
    store = open_store(StoreOptions(), tmp_path, "f00d", DIMENSION, wait=30)
    n = 0
    while other.poll() is None:
        store.add([piece(f"r{n}")])
        n += 1
    assert other.stdout and other.returncode == 0
    other.stdout.close()
    assert n and store.sources() == {"child": 20, "notes": n}


def test_a_hold_may_be_taken_again_inside_itself_and_by_threads(edge: Store) -> None:
    os.umask(before := os.umask(0))

    def write(number: int) -> None:
        with edge, edge:
            edge.add([piece(f"r{number}")])

    threads = [threading.Thread(target=write, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert edge.count() == 8
    assert os.umask(before) == before
    with pytest.raises(StoreError, match="not open"):
        _ = edge.client


def test_an_error_inside_a_hold_lets_go_of_the_store(edge: Store) -> None:
    with pytest.raises(ZeroDivisionError), edge:
        _ = 1 / 0
    assert edge.count() == 0


# Writes for ever: every number is a new content, of two pieces, of one of 20 records; printed when it is acknowledged.
_WRITER = """
n = int(sys.argv[3])
while True:
    with store:
        for n in range(n + 1, n + 9):
            record, content = f"r{n % 20}", f"h{n}"
            made = [{"source": "s", "record": record, "hash": content, "piece": piece, "pieces": 2} for piece in (0, 1)]
            store.add([TextNode(text="some words " * 50, metadata=metadata, embedding=[0.5] * 8) for metadata in made])
            store.delete_old("s", record, content)
            print(n, flush=True)
        store.optimise()
"""


@pytest.mark.slow
def test_everything_acknowledged_is_there_after_a_kill_at_any_moment(tmp_path: Path) -> None:
    store = open_store(StoreOptions(), tmp_path, "f00d", DIMENSION)
    chance = random.Random(11)
    last = 0
    for turn in range(10):
        writer = child(_WRITER, tmp_path, "edge", last)
        assert writer.stdout
        begun = ""
        if turn:
            begun = writer.stdout.readline()
        else:  # the first is killed while it makes the collection
            while not list(tmp_path.glob("f00d.edge*/*")):
                time.sleep(0.001)
        time.sleep(chance.random() * 0.3)
        writer.send_signal(signal.SIGKILL)
        lines = (begun + writer.stdout.read()).split("\n")[:-1]
        writer.stdout.close()
        writer.wait()
        last = int(lines[-1]) if lines else last
        states = store.hashes("s")
        for n in range(max(1, last - 18), last + 1):
            assert states[f"r{n % 20}"].is_whole(f"h{n}")
        if last > 19:  # the record that was being written has its old content, the new one, or both
            state = states[f"r{(last + 1) % 20}"]
            assert state.complete and state.hashes <= {f"h{last - 19}", f"h{last + 1}"}
    assert last > 20


def test_a_half_made_collection_is_made_anew(edge: Store, tmp_path: Path) -> None:
    edge.add([piece("a")])
    (tmp_path / "f00d.edge").rename(tmp_path / "f00d.edge.new")
    shutil.rmtree(tmp_path / "f00d.edge.new" / "wal")
    edge.add([piece("b")])
    assert found(edge) == {"b"}
    assert not (tmp_path / "f00d.edge.new").exists()


@pytest.mark.parametrize("damaged", ["edge_config.json", "segment.json", "version.info", "*-source-map/tracker.dat", "open-1"])
def test_a_damaged_collection_is_reported_in_a_line_and_put_aside_whole(
    edge: Store, tmp_path: Path, damaged: str, capfd: pytest.CaptureFixture[str]
) -> None:
    edge.add([piece("a")])
    home = tmp_path / "f00d.edge"
    next(home.rglob(damaged)).write_bytes(random.Random(1).randbytes(3000))
    with pytest.raises(StoreError) as caught:
        edge.count()
    assert str(home) in str(caught.value) and "citator sync --rebuild" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert capfd.readouterr().err == ""  # the tracker makes the engine panic
    aside = Path(edge.set_aside())
    assert edge.count() == 0
    assert aside.is_dir() and any(aside.iterdir())


def test_a_disk_without_room_is_not_written_to(edge: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    edge.add([piece("a")])
    free = shutil.disk_usage(tmp_path).free
    monkeypatch.setattr(base, "HEADROOM", free * 2)
    for write in (lambda: edge.add([piece("b")]), lambda: edge.forget("notes"), edge.optimise):
        with pytest.raises(StoreError, match=rf"{tmp_path}: \d+ bytes free, \d+ needed"):
            write()
    assert found(edge) == {"a"}
    with edge:
        monkeypatch.setattr(folder, "OPENING", free * 2)
        other = open_store(StoreOptions(), tmp_path, "f00d", DIMENSION)
        with pytest.raises(StoreError, match="bytes free"):  # nor is the one that holds it asked to let go
            other.count()
    with pytest.raises(StoreError, match="bytes free"):
        edge.count()


def test_a_full_disk_is_read_from_and_not_written_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk, elsewhere = tmp_path / "disk", tmp_path / "run"
    disk.mkdir()
    elsewhere.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(elsewhere))
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=250m", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no file system can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        open_store(StoreOptions(), disk, "f00d", DIMENSION).add([piece(f"r{n}", text="word " * 99) for n in range(200)])
        (disk / "filler").touch()
        with contextlib.suppress(OSError), (disk / "filler").open("wb", buffering=0) as filler:
            while filler.write(bytes(2**20)):
                pass
        assert shutil.disk_usage(disk).free == 0
        store = open_store(StoreOptions(), disk, "f00d", DIMENSION)
        monkeypatch.setattr("tempfile.tempdir", None)
        monkeypatch.setattr("tempfile._candidate_tempdir_list", lambda: [str(disk)])  # as where there is one disk only
        with store:
            assert list(elsewhere.iterdir()) == []
            assert store.count() == 200
            assert len(store.query(VectorStoreQuery(query_embedding=vector(1), similarity_top_k=3)).ids or []) == 3
            with pytest.raises(StoreError, match="0 bytes free"):
                store.add([piece("new")])
            (disk / "filler").unlink()
            with pytest.raises(StoreError, match="try again"):
                store.forget("notes")
        store.add([piece("new")])
        assert len(found(store)) == 201
        monkeypatch.setattr(folder, "OPENING", shutil.disk_usage(disk).free + 1)
        assert store.count() == 201
        store.set_aside()
        monkeypatch.undo()
        assert store.count() == 0
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="file/store: the store's folder cannot be used: Not a directory"):
        open_store(StoreOptions(), tmp_path / "file" / "store", "f00d", DIMENSION).count()


@pytest.mark.parametrize("name", ["../up", "a/b", "", ".hidden", "with space"])
def test_a_fingerprint_that_is_no_plain_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="cannot name a collection"):
        open_store(StoreOptions(), tmp_path, name, DIMENSION)


def test_optimising_loses_nothing_and_is_done_only_where_it_pays(edge: Store) -> None:
    with edge:
        for turn in range(3):
            edge.add([piece(f"r{n}", hash=f"h{turn}") for n in range(200)])
        assert not edge.optimise()
        for n in range(200):
            edge.delete_old("notes", f"r{n}", "h2")
        assert edge.optimise()
        assert not edge.optimise()
    assert all(state.is_whole("h2") for state in edge.hashes("notes").values())
    assert len(edge.get_nodes()) == 200


def test_a_server_that_is_not_there_is_named_in_a_line(tmp_path: Path) -> None:
    with contextlib.closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        store = open_store(StoreOptions(type="server", url=url), tmp_path, "f00d", DIMENSION)
        with pytest.raises(StoreError, match=f"^{url}: the Qdrant server cannot be reached: .*; start it, or correct store.url$"):
            store.count()
        with pytest.raises(StoreError, match="on the server"):
            store.set_aside()


def test_a_missing_key_for_the_server_is_named(tmp_path: Path) -> None:
    options = StoreOptions(type="server", url="http://127.0.0.1:1", api_key_env="CITATOR_TEST_NO_SUCH_KEY")
    assert "CITATOR_TEST_NO_SUCH_KEY" not in os.environ
    with pytest.raises(StoreError, match="the environment variable CITATOR_TEST_NO_SUCH_KEY is not set"):
        open_store(options, tmp_path, "f00d", DIMENSION).count()


def test_a_servers_collection_gets_the_indexes_that_a_crash_left_out(server: str, tmp_path: Path) -> None:
    for _ in range(2):
        store = open_store(StoreOptions(type="server", url=server), tmp_path, "f00d", DIMENSION)
        with store:
            schema = store.client.get_collection("citator-f00d").payload_schema
            store.client.close()
        assert set(schema) == {"source", "record", "kind", "project", "hash"}


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"type": "server"}, "needs its url"),
        ({"url": "http://localhost:6333"}, "a store of type edge has no url"),
        ({"type": "server", "url": "http://localhost:6333", "path": "x"}, "a store of type server has no path"),
        ({"type": "chroma"}, "'edge', 'server' or 'local'"),
        ({"folder": "x"}, "Extra inputs"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: dict[str, str], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        StoreOptions.model_validate(options)


def test_the_options_path_is_where_collections_are_kept(tmp_path: Path) -> None:
    options = StoreOptions.model_validate({"path": "kept"}, context={"base": tmp_path})
    open_store(options, tmp_path / "default", "f00d", DIMENSION).add([piece("a")])
    assert (tmp_path / "kept" / "f00d.edge").is_dir()
    assert not (tmp_path / "default").exists()
