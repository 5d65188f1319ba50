#include "push_build_stamp.h"

/* A test overwrites the commit in a program's file to create a program of another build. The prefix
   identifies the stamp in the file, and the array has room for a longer commit. */
const char push_build_stamp[64] = "pushmta-commit=" PUSHMTA_COMMIT;
