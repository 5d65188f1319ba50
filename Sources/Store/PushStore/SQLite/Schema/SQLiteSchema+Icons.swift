extension SQLiteSchema {
    /// What the nineteenth migration adds: what people call an app (`label`; empty: they do not), and a picture
    /// of it. The picture stands apart, because an app's row is written with each registration.
    static let icons = """
        ALTER TABLE app ADD COLUMN label TEXT NOT NULL DEFAULT '';
        CREATE TABLE app_icon (
            app_id INTEGER PRIMARY KEY REFERENCES app (id),
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            image BLOB NOT NULL
        ) STRICT;
        """
}
