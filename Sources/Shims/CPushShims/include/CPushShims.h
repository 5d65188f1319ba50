#ifndef CPUSHSHIMS_H
#define CPUSHSHIMS_H

/* The engine's C. Mechanism without policy: un-variadic setters, macros as functions, batch helpers for hot
   loops. Each header below serves one target. */
#include "push_transport.h" /* PushTransport: libcurl, TLS context set-up, PKCS#12 */
#include "push_process.h"   /* PushMaster: spawning and locks */
#include "push_sip.h"       /* PushStore: SipHash of many words at once */
#include "push_postgres.h"  /* PushStore: libpq, loaded where a store is PostgreSQL's */

#endif
