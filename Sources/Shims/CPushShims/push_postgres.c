#include "push_postgres.h"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Constants of libpq's binary interface (ExecStatusType and ConnStatusType in libpq-fe.h). */
enum {
    connection_ok = 0,
    result_command_ok = 1,
    result_tuples_ok = 2,
    result_pipeline_sync = 10,
};
enum { field_sqlstate = 'C', binary = 1 };

/* PGnotify, as defined in libpq-fe.h. */
struct notification {
    char *channel;
    int backend;
    char *payload;
    struct notification *next;
};

typedef void (*notice_processor)(void *, const char *);

static struct {
    push_pg *(*PQconnectdbParams)(const char *const *, const char *const *, int);
    void (*PQfinish)(push_pg *);
    int (*PQstatus)(const push_pg *);
    int (*PQsocket)(const push_pg *);
    int (*PQconsumeInput)(push_pg *);
    char *(*PQerrorMessage)(const push_pg *);
    int (*PQconnectionNeedsPassword)(const push_pg *);
    int (*PQconnectionUsedPassword)(const push_pg *);
    const char *(*PQparameterStatus)(const push_pg *, const char *);
    int (*PQserverVersion)(const push_pg *);
    int (*PQbackendPID)(const push_pg *);
    notice_processor (*PQsetNoticeProcessor)(push_pg *, notice_processor, void *);
    int (*PQenterPipelineMode)(push_pg *);
    int (*PQpipelineSync)(push_pg *);
    int (*PQsendQueryParams)(push_pg *, const char *, int, const uint32_t *, const char *const *, const int *,
                             const int *, int);
    int (*PQsendPrepare)(push_pg *, const char *, const char *, int, const uint32_t *);
    int (*PQsendQueryPrepared)(push_pg *, const char *, int, const char *const *, const int *, const int *,
                               int);
    push_pg_result *(*PQgetResult)(push_pg *);
    int (*PQresultStatus)(const push_pg_result *);
    char *(*PQresultErrorField)(const push_pg_result *, int);
    char *(*PQcmdStatus)(push_pg_result *);
    char *(*PQcmdTuples)(push_pg_result *);
    int (*PQntuples)(const push_pg_result *);
    int (*PQnfields)(const push_pg_result *);
    char *(*PQfname)(const push_pg_result *, int);
    uint32_t (*PQftype)(const push_pg_result *, int);
    int (*PQgetisnull)(const push_pg_result *, int, int);
    int (*PQgetlength)(const push_pg_result *, int, int);
    char *(*PQgetvalue)(const push_pg_result *, int, int);
    void (*PQclear)(push_pg_result *);
    struct notification *(*PQnotifies)(push_pg *);
    void (*PQfreemem)(void *);
} pq;

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static char failure[200];

static void load(void)
{
    void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(failure, sizeof failure, "%s", why ? why : "libpq.so.5 cannot be loaded");
        return;
    }
#define find(name)                                                                                           \
    if (!(*(void **)&pq.name = dlsym(library, #name))) {                                                     \
        snprintf(failure, sizeof failure, "libpq.so.5 has no " #name ": it is older than version 14");       \
        return;                                                                                              \
    }
    find(PQconnectdbParams) find(PQfinish) find(PQstatus) find(PQsocket) find(PQconsumeInput)
    find(PQerrorMessage) find(PQconnectionNeedsPassword) find(PQconnectionUsedPassword)
    find(PQparameterStatus) find(PQserverVersion) find(PQbackendPID) find(PQsetNoticeProcessor)
    find(PQenterPipelineMode) find(PQpipelineSync) find(PQsendQueryParams) find(PQsendPrepare)
    find(PQsendQueryPrepared) find(PQgetResult) find(PQresultStatus) find(PQresultErrorField)
    find(PQcmdStatus) find(PQcmdTuples) find(PQntuples) find(PQnfields) find(PQfname) find(PQftype)
    find(PQgetisnull) find(PQgetlength) find(PQgetvalue) find(PQclear) find(PQnotifies) find(PQfreemem)
#undef find
}

const char *push_pg_load(void)
{
    pthread_once(&loading, load);
    return failure[0] ? failure : NULL;
}

static void drop_notice(void *context, const char *text)
{
    (void)context;
    (void)text;
}

push_pg *push_pg_connect(const char *const *keys, const char *const *values)
{
    push_pg *connection = pq.PQconnectdbParams(keys, values, 0);
    if (!connection) return NULL;
    pq.PQsetNoticeProcessor(connection, drop_notice, NULL);
    if (pq.PQstatus(connection) == connection_ok) pq.PQenterPipelineMode(connection);
    return connection;
}

void push_pg_close(push_pg *connection) { pq.PQfinish(connection); }

int push_pg_is_alive(push_pg *connection)
{
    if (pq.PQstatus(connection) != connection_ok) return 0;
    struct pollfd socket = {.fd = pq.PQsocket(connection), .events = POLLIN};
    /* The server's last messages precede the end of the connection, so one read may not reach the end. */
    for (int turn = 0; turn < 16 && poll(&socket, 1, 0) > 0; turn++)
        if (!pq.PQconsumeInput(connection)) return 0;
    return pq.PQstatus(connection) == connection_ok;
}

int push_pg_wait(push_pg *connection, int other, int milliseconds)
{
    struct pollfd items[2] = {{.fd = pq.PQsocket(connection), .events = POLLIN},
                              {.fd = other, .events = POLLIN}};
    poll(items, 2, milliseconds);
    return push_pg_is_alive(connection);
}

int push_pg_take_notifications(push_pg *connection)
{
    int found = 0;
    struct notification *next;
    while ((next = pq.PQnotifies(connection))) {
        if (next->backend != pq.PQbackendPID(connection)) found++;
        pq.PQfreemem(next);
    }
    return found;
}

const char *push_pg_error(push_pg *connection) { return pq.PQerrorMessage(connection); }

int push_pg_asked_password(push_pg *connection)
{
    return pq.PQconnectionNeedsPassword(connection) || pq.PQconnectionUsedPassword(connection);
}

const char *push_pg_parameter(push_pg *connection, const char *name)
{
    return pq.PQparameterStatus(connection, name);
}

int push_pg_version(push_pg *connection) { return pq.PQserverVersion(connection); }
int push_pg_backend(push_pg *connection) { return pq.PQbackendPID(connection); }

int push_pg_send_text(push_pg *connection, const char *sql)
{
    return pq.PQsendQueryParams(connection, sql, 0, NULL, NULL, NULL, NULL, binary);
}

int push_pg_send_prepare(push_pg *connection, const char *name, const char *sql, int count,
                         const uint32_t *types)
{
    return pq.PQsendPrepare(connection, name, sql, count, types);
}

int push_pg_send(push_pg *connection, const char *name, int count, const char *const *values,
                 const int *lengths, const int *formats)
{
    return pq.PQsendQueryPrepared(connection, name, count, values, lengths, formats, binary);
}

static int is_good(push_pg_result *result)
{
    int status = pq.PQresultStatus(result);
    return status == result_command_ok || status == result_tuples_ok;
}

int64_t push_pg_changed(push_pg_result *result)
{
    /* PQcmdTuples also returns the number of rows of a SELECT. */
    return strchr("IUDM", pq.PQcmdStatus(result)[0]) ? atoll(pq.PQcmdTuples(result)) : 0;
}

int push_pg_finish(push_pg *connection, int count, push_pg_result **answers)
{
    int received = 0;
    if (!pq.PQpipelineSync(connection)) return 0;
    while (received < count && pq.PQstatus(connection) == connection_ok) {
        push_pg_result *result = pq.PQgetResult(connection);
        if (!result) break;
        answers[received++] = result;
        /* PQgetResult returns NULL after the answers to each command. */
        while (pq.PQstatus(connection) == connection_ok && (result = pq.PQgetResult(connection)))
            pq.PQclear(result);
    }
    push_pg_result *end = pq.PQstatus(connection) == connection_ok ? pq.PQgetResult(connection) : NULL;
    int is_whole = received == count && end && pq.PQresultStatus(end) == result_pipeline_sync;
    if (end) pq.PQclear(end);
    while (!is_whole && received > 0) pq.PQclear(answers[--received]);
    return is_whole;
}

int push_pg_is_error(push_pg_result *result) { return !is_good(result); }

const char *push_pg_state(push_pg_result *result)
{
    const char *state = pq.PQresultErrorField(result, field_sqlstate);
    return state ? state : "";
}

const char *push_pg_tag(push_pg_result *result) { return pq.PQcmdStatus(result); }
int push_pg_rows(push_pg_result *result) { return pq.PQntuples(result); }
int push_pg_columns(push_pg_result *result) { return pq.PQnfields(result); }
const char *push_pg_column(push_pg_result *result, int column) { return pq.PQfname(result, column); }
uint32_t push_pg_type(push_pg_result *result, int column) { return pq.PQftype(result, column); }

int push_pg_is_null(push_pg_result *result, int row, int column)
{
    return pq.PQgetisnull(result, row, column);
}

int push_pg_length(push_pg_result *result, int row, int column)
{
    return pq.PQgetlength(result, row, column);
}

const char *push_pg_value(push_pg_result *result, int row, int column)
{
    return pq.PQgetvalue(result, row, column);
}

void push_pg_clear(push_pg_result *result) { pq.PQclear(result); }
