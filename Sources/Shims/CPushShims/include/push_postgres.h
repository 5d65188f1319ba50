#ifndef PUSH_POSTGRES_H
#define PUSH_POSTGRES_H

#include <stddef.h>
#include <stdint.h>

/* PostgreSQL's client library, libpq, found when it is first asked for: nothing links it, and building needs neither it
   nor its headers. The few functions that are used are declared here, as libpq's documentation gives them. */

typedef struct push_pg push_pg;
typedef struct push_pg_result push_pg_result;

/* Finds the library, once in a process. NULL, or why it cannot be used. */
const char *_Nullable push_pg_load(void);

/* PQconnectdbParams: two arrays of as many strings, each ended by NULL; waits for the end. Notices are not printed. NULL
   where there is no memory. Nothing below may be called before push_pg_load() succeeded. */
push_pg *_Nullable push_pg_connect(const char *_Nullable const *_Nonnull keys,
                                   const char *_Nullable const *_Nonnull values);
void push_pg_close(push_pg *_Nonnull connection);

/* Whether it can be used, as far as is known here: what the server has said meanwhile is looked at, without waiting. */
int push_pg_is_alive(push_pg *_Nonnull connection);
/* Waits until the server sends data, the other descriptor can be read, or the time is over. Whether it can be used, as
   above. */
int push_pg_wait(push_pg *_Nonnull connection, int other, int milliseconds);
/* Notifications by others that have arrived (NOTIFY), which are taken away with those of its own. */
int push_pg_take_notifications(push_pg *_Nonnull connection);
/* The last error's text, which is the connection's. */
const char *_Nonnull push_pg_error(push_pg *_Nonnull connection);
/* Whether the server asked for a password, whether or not one was given. */
int push_pg_asked_password(push_pg *_Nonnull connection);
/* PQparameterStatus; NULL if the server did not report it. */
const char *_Nullable push_pg_parameter(push_pg *_Nonnull connection, const char *_Nonnull name);
/* 150004 for 15.4. */
int push_pg_version(push_pg *_Nonnull connection);
/* The process ID that the server reported for this connection. */
int push_pg_backend(push_pg *_Nonnull connection);

/* Commands are queued and sent together: nothing waits for an answer before push_pg_finish(). Each gives 1, or 0 where
   the connection is lost. */
int push_pg_send_text(push_pg *_Nonnull connection, const char *_Nonnull sql);
int push_pg_send_prepare(push_pg *_Nonnull connection, const char *_Nonnull name, const char *_Nonnull sql, int count,
                         const uint32_t *_Nullable types);
/* Runs a prepared statement; all parameters are binary, and so are the results. */
int push_pg_send(push_pg *_Nonnull connection, const char *_Nonnull name, int count,
                 const char *_Nullable const *_Nullable values, const int *_Nullable lengths,
                 const int *_Nullable formats);

/* Sends what is queued and reads the answers to the last `count` commands, all there are, in their order: each is to be
   cleared. After one that is an error come errors without a state: the server passed over those commands. 0 where the
   connection is lost: then there are none. */
int push_pg_finish(push_pg *_Nonnull connection, int count, push_pg_result *_Nullable *_Nonnull answers);

int push_pg_is_error(push_pg_result *_Nonnull result);
/* SQLSTATE of an error: five characters; empty where the library itself found it. */
const char *_Nonnull push_pg_state(push_pg_result *_Nonnull result);
/* Rows that it inserted, updated or deleted. */
int64_t push_pg_changed(push_pg_result *_Nonnull result);
/* What was done, such as COMMIT. */
const char *_Nonnull push_pg_tag(push_pg_result *_Nonnull result);
int push_pg_rows(push_pg_result *_Nonnull result);
int push_pg_columns(push_pg_result *_Nonnull result);
const char *_Nullable push_pg_column(push_pg_result *_Nonnull result, int column);
uint32_t push_pg_type(push_pg_result *_Nonnull result, int column);
int push_pg_is_null(push_pg_result *_Nonnull result, int row, int column);
int push_pg_length(push_pg_result *_Nonnull result, int row, int column);
/* Lent until the result is cleared. */
const char *_Nonnull push_pg_value(push_pg_result *_Nonnull result, int row, int column);
void push_pg_clear(push_pg_result *_Nonnull result);

#endif
