"""The harness on which the engine's figures are measured; not shipped in the wheel.

Importing it pins every numeric library to one thread, so that no method is timed (or slowed) by
another's: numpy must not have been imported before.
"""

import os

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "LOKY_MAX_CPU_COUNT",  # what joblib takes for n_jobs=-1, as in SMAC's forest
)

for _variable in THREAD_VARIABLES:
    os.environ[_variable] = "1"
