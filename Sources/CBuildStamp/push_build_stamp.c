#include "push_build_stamp.h"

const char push_build_stamp[] = PUSHMTA_COMMIT;
