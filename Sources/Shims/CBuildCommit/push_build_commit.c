#include "push_build_commit.h"
#include "push_build_stamp.h"

const char *push_build_commit(void) { return push_build_stamp + sizeof "pushmta-commit=" - 1; }
