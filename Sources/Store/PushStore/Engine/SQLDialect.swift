/// The engine for which an SQL text is written, if one text cannot serve both engines. The two texts are then
/// placed side by side.
enum SQLDialect {
    case sqlite, postgreSQL
}
