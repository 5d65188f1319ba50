#ifndef CPUSHSHIMS_H
#define CPUSHSHIMS_H

/* The engine's C code. It provides mechanisms without policy: setters that are not variadic, functions for
   macros, and batch functions for hot loops. Each header below serves one target. */
#include "push_transport.h" /* PushTransport: libcurl, the setup of TLS contexts, PKCS#12 */
#include "push_process.h"   /* PushMaster: processes and locks */
#include "push_sip.h"       /* PushStore: SipHash of many words at once */
#include "push_postgres.h"  /* PushStore: libpq, loaded if a store uses PostgreSQL */

#endif
