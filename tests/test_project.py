"""A project is a git repository with all its worktrees and subfolders, or else a folder by itself."""

import os
import subprocess
import unicodedata
from pathlib import Path

import pytest

from citator.project import belongs, project_of, worktree_of


def git(folder: Path, *arguments: str) -> None:
    """Runs git as nobody in particular, untouched by this machine's settings."""
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "PATH": os.environ["PATH"]}
    person = {f"GIT_{role}_{what}": "x@example.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments], cwd=folder, check=True, capture_output=True, env=alone | person
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit and a subfolder."""
    main = tmp_path / "main"
    (main / "src" / "deep").mkdir(parents=True)
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    return main


def test_a_subfolder_belongs_to_its_repository(repository: Path) -> None:
    assert project_of(repository / "src" / "deep") == project_of(repository) == repository
    assert worktree_of(repository / "src" / "deep") == repository


def test_a_worktree_beside_the_repository_is_the_same_project_with_its_own_files(repository: Path) -> None:
    git(repository, "worktree", "add", "-q", "../feature")
    feature = repository.parent / "feature"
    assert project_of(feature) == repository
    assert worktree_of(feature) == feature


def test_a_removed_worktree_inside_the_repository_still_belongs_to_it(repository: Path) -> None:
    git(repository, "worktree", "add", "-q", ".claude/worktrees/feature")
    feature = repository / ".claude" / "worktrees" / "feature"
    assert project_of(feature / "src") == repository
    git(repository, "worktree", "remove", ".claude/worktrees/feature")
    assert project_of(feature / "src") == repository


def test_a_folder_without_a_repository_is_a_project_by_itself(tmp_path: Path) -> None:
    inner = tmp_path / "notes" / "inner"
    inner.mkdir(parents=True)
    assert project_of(inner) == worktree_of(inner) == inner
    assert project_of(tmp_path / "never" / "was") == tmp_path / "never" / "was"


def test_worktrees_of_a_bare_repository_are_one_project(repository: Path) -> None:
    bare = repository.parent / "bare.git"
    git(repository, "clone", "-q", "--bare", ".", str(bare))
    git(bare, "worktree", "add", "-q", "../one", "-b", "one")
    git(bare, "worktree", "add", "-q", "../two", "-b", "two")
    assert project_of(bare.parent / "one") == project_of(bare.parent / "two") == project_of(bare) == bare


def test_a_folder_that_points_to_a_bare_repository_inside_it_is_the_same_project(repository: Path) -> None:
    box = repository.parent / "box"
    box.mkdir()
    git(repository, "clone", "-q", "--bare", ".", str(box / ".bare"))
    (box / ".git").write_text("gitdir: ./.bare\n")
    git(box, "worktree", "add", "-q", "one", "-b", "one")
    assert project_of(box) == project_of(box / "one")


def test_a_submodule_is_a_project_of_its_own(repository: Path) -> None:
    library = repository.parent / "library"
    git(repository, "clone", "-q", ".", str(library))
    git(repository, "submodule", "--quiet", "add", str(library), "vendor/library")
    inside = repository / "vendor" / "library"
    assert project_of(inside) == inside
    git(inside, "worktree", "add", "-q", str(repository.parent / "patch"), "-b", "patch")
    assert project_of(repository.parent / "patch") == inside


def test_a_symlink_into_a_repository_belongs_to_it(repository: Path) -> None:
    link = repository.parent / "link"
    link.symlink_to(repository / "src")
    assert project_of(link / "deep") == repository


def test_a_forged_pointer_does_not_open_another_repository(repository: Path) -> None:
    git(repository, "worktree", "add", "-q", "../feature")
    forged = repository.parent / "forged"
    forged.mkdir()
    (forged / ".git").write_bytes((repository.parent / "feature" / ".git").read_bytes())
    assert project_of(forged) == forged


@pytest.mark.parametrize("pointer", ["gitdir: /nowhere/.git/worktrees/x", "nonsense", "", "gitdir:"])
def test_a_pointer_that_leads_nowhere_leaves_its_folder_a_project(tmp_path: Path, pointer: str) -> None:
    (tmp_path / "mounted" / "src").mkdir(parents=True)
    (tmp_path / "mounted" / ".git").write_text(pointer)
    assert project_of(tmp_path / "mounted" / "src") == tmp_path / "mounted"


def test_an_empty_folder_named_git_makes_no_repository(tmp_path: Path) -> None:
    (tmp_path / "plain" / ".git").mkdir(parents=True)
    assert project_of(tmp_path / "plain") == tmp_path / "plain"


def test_both_unicode_forms_of_a_name_are_one_project(tmp_path: Path) -> None:
    folder = tmp_path / unicodedata.normalize("NFD", "café")
    folder.mkdir()
    assert belongs(tmp_path / unicodedata.normalize("NFC", "café"), project_of(folder))


@pytest.mark.parametrize("name", ["a\0b", "a\ud83db"])
def test_a_name_that_no_folder_can_have_belongs_to_nothing(tmp_path: Path, name: str) -> None:
    assert not belongs(tmp_path / name, tmp_path)
