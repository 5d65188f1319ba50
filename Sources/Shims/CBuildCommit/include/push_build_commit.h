#ifndef PUSH_BUILD_COMMIT_H
#define PUSH_BUILD_COMMIT_H

/* Returns the abbreviated commit that this program was built from; empty if the build did not know it. */
const char * _Nonnull push_build_commit(void);

#endif
