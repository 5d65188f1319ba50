#ifndef PUSH_BUILD_COMMIT_H
#define PUSH_BUILD_COMMIT_H

/* Returns the abbreviated commit that this program was built from; an empty text if the commit was unknown
   during the build. */
const char * _Nonnull push_build_commit(void);

#endif
