#ifndef PUSH_POSTGRES_H
#define PUSH_POSTGRES_H

#include <stddef.h>
#include <stdint.h>

/* PostgreSQL's client library, libpq, which is loaded on first use. No program links it, and a build needs
   neither libpq nor its headers. This header declares the few functions that the engine uses, according to
   libpq's documentation. */

typedef struct push_pg push_pg;
typedef struct push_pg_result push_pg_result;

/* Loads the library, once per process. Returns NULL on success, otherwise the reason for the failure. */
const char *_Nullable push_pg_load(void);

/* Connects with PQconnectdbParams and waits for the result. `keys` and `values` are NULL-terminated arrays
   with the same number of strings. Notices are not printed. Returns NULL if memory is exhausted. The caller
   must not call this function or the functions below before push_pg_load() has succeeded. */
push_pg *_Nullable push_pg_connect(const char *_Nullable const *_Nonnull keys,
                                   const char *_Nullable const *_Nonnull values);
void push_pg_close(push_pg *_Nonnull connection);

/* Reports, without waiting, whether the connection is usable according to the data from the server. */
int push_pg_is_alive(push_pg *_Nonnull connection);
/* Waits until the server sends data, `other` becomes readable, or the time has elapsed. Returns the result of
   push_pg_is_alive(). */
int push_pg_wait(push_pg *_Nonnull connection, int other, int milliseconds);
/* Removes all received notifications (NOTIFY). Returns the number of notifications that came from other
   connections. */
int push_pg_take_notifications(push_pg *_Nonnull connection);
/* Returns the text of the last error. The connection owns the text. */
const char *_Nonnull push_pg_error(push_pg *_Nonnull connection);
/* Reports whether the server requested a password, regardless of whether the client supplied one. */
int push_pg_asked_password(push_pg *_Nonnull connection);
/* Returns a parameter of the server (PQparameterStatus); NULL if the server did not report it. */
const char *_Nullable push_pg_parameter(push_pg *_Nonnull connection, const char *_Nonnull name);
/* Returns the version of the server, such as 150004 for 15.4. */
int push_pg_version(push_pg *_Nonnull connection);
/* Returns the process ID that the server reported for this connection. */
int push_pg_backend(push_pg *_Nonnull connection);

/* The following functions queue commands, which are sent together. No function waits for an answer before
   push_pg_finish(). Each returns 1, or 0 if the connection is lost. */
int push_pg_send_text(push_pg *_Nonnull connection, const char *_Nonnull sql);
int push_pg_send_prepare(push_pg *_Nonnull connection, const char *_Nonnull name, const char *_Nonnull sql,
                         int count, const uint32_t *_Nullable types);
/* Runs a prepared statement. All parameters and all results are binary. */
int push_pg_send(push_pg *_Nonnull connection, const char *_Nonnull name, int count,
                 const char *_Nullable const *_Nullable values, const int *_Nullable lengths,
                 const int *_Nullable formats);

/* Sends the queued commands and reads their answers in the order of the commands. `count` must be the number
   of all commands that were queued since the last call. The caller must clear each answer. The answers after
   an error are errors without a state, because the server skips those commands. Returns 1. If the connection
   is lost, returns 0, and there are no answers. */
int push_pg_finish(push_pg *_Nonnull connection, int count, push_pg_result *_Nullable *_Nonnull answers);

int push_pg_is_error(push_pg_result *_Nonnull result);
/* Returns the SQLSTATE of an error, five characters; empty if the library itself detected the error. */
const char *_Nonnull push_pg_state(push_pg_result *_Nonnull result);
/* Returns the number of rows that the command inserted, updated or deleted. */
int64_t push_pg_changed(push_pg_result *_Nonnull result);
/* Returns the tag of the command, such as COMMIT. */
const char *_Nonnull push_pg_tag(push_pg_result *_Nonnull result);
int push_pg_rows(push_pg_result *_Nonnull result);
int push_pg_columns(push_pg_result *_Nonnull result);
const char *_Nullable push_pg_column(push_pg_result *_Nonnull result, int column);
uint32_t push_pg_type(push_pg_result *_Nonnull result, int column);
int push_pg_is_null(push_pg_result *_Nonnull result, int row, int column);
int push_pg_length(push_pg_result *_Nonnull result, int row, int column);
/* Returns a value, which is valid until the result is cleared. */
const char *_Nonnull push_pg_value(push_pg_result *_Nonnull result, int row, int column);
void push_pg_clear(push_pg_result *_Nonnull result);

#endif
