"""Makes the shipped vectors of the everyday messages by the packaged model: to be run after any of these messages changed."""

import numpy as np

from citator.background import messages
from citator.calibrations import SHIPPED, background_name
from citator_plugins.huggingface import MiniLM

if __name__ == "__main__":
    model = MiniLM(type="minilm", dtype="float32").load(indexing=True)
    for old in SHIPPED.glob("*.npy"):
        old.unlink()
    vectors = [model.embed.get_query_embedding(message) for message in messages()]
    np.save(SHIPPED / background_name(model.fingerprint), np.array(vectors, dtype=np.float16))
