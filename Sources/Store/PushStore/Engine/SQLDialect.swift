/// Which engine a text is for, where one text cannot be for both: then both stand side by side.
enum SQLDialect {
    case sqlite, postgreSQL
}
