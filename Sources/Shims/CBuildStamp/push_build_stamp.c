#include "push_build_stamp.h"

/* The name finds it in a program's file, and there is room for another commit: so a test has programs of two builds. */
const char push_build_stamp[64] = "pushmta-commit=" PUSHMTA_COMMIT;
