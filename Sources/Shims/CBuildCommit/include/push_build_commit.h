#ifndef PUSH_BUILD_COMMIT_H
#define PUSH_BUILD_COMMIT_H

/* The commit that this was built from, abbreviated; empty if the build did not know it. */
const char * _Nonnull push_build_commit(void);

#endif
