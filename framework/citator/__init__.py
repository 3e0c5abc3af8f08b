"""citator tells a coding agent which of a team's records are related to a message, and which of them still stand."""
