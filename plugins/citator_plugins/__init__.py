"""The plugins that citator brings along; each comes in by the entry-point group `citator`, like anybody's."""
