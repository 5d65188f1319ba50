#include "push_build_stamp.h"

/* The prefix identifies the stamp in a program's file, and the array has room for another commit, so that a
   test can create programs of two builds. */
const char push_build_stamp[64] = "pushmta-commit=" PUSHMTA_COMMIT;
