#pragma once

#include <sqlite3.h>

// sqlite3_db_config() is variadic, which Swift cannot call: one function for the options that are a switch.
static inline int tokenbroker_sqlite_switch(sqlite3 *_Nonnull database, int option, int value) {
    return sqlite3_db_config(database, option, value, (int *)0);
}

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import. SQLite copies the bytes.
static inline int tokenbroker_sqlite_bind_blob(
    sqlite3_stmt *_Nonnull statement, int index, const void *_Nullable bytes, int count
) {
    if (count == 0) return sqlite3_bind_zeroblob(statement, index, 0);
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int tokenbroker_sqlite_bind_text(
    sqlite3_stmt *_Nonnull statement, int index, const char *_Nonnull text, int count
) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
