/// The engine for which a text is written, if one text cannot serve both. The two texts are then placed side
/// by side.
enum SQLDialect {
    case sqlite, postgreSQL
}
