"""citator tells a coding agent which of a team's records are related to a message, and which of them still stand."""

import os

# Nothing is sent anywhere: onnxruntime's wheels report to their maker from the moment they are loaded unless this says otherwise,
# and the hub's client does when it is asked for a model.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
