-- A store as the first version left it: one app, three subscribers, a delivery under way.
PRAGMA foreign_keys = OFF;
CREATE TABLE app (
            id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id < 1 << 22),
            service_id INTEGER NOT NULL REFERENCES service (id),
            name TEXT NOT NULL,
            platform TEXT NOT NULL,
            integration_key TEXT NOT NULL,
            connector TEXT NOT NULL,
            environment TEXT NOT NULL,
            bundle_id TEXT NOT NULL,
            credential_identity TEXT NOT NULL,
            message_id_format TEXT NOT NULL,
            variables TEXT NOT NULL,
            sounds TEXT NOT NULL,
            last_sequence INTEGER NOT NULL DEFAULT 0,
            removed_at INTEGER
        ) STRICT;
INSERT INTO "app" VALUES(1,1,'neotrips-ios','ios','key','iosHTTP2','production','com.example.neotrips','TEAM:KEY','uuid','[]','[]',3,NULL);
CREATE TABLE credential (
            app_id INTEGER PRIMARY KEY REFERENCES app (id),
            sealed BLOB NOT NULL
        ) STRICT;
INSERT INTO "credential" VALUES(1,X'00010203');
CREATE TABLE delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id < 1 << 31),
            label TEXT NOT NULL,
            service_id INTEGER NOT NULL,
            apps TEXT NOT NULL,
            target TEXT NOT NULL,
            target_parameters TEXT,
            start_at INTEGER,
            validity INTEGER NOT NULL,
            expires_at INTEGER NOT NULL,
            priority INTEGER NOT NULL,
            rate INTEGER NOT NULL,
            retry_count INTEGER,
            retry_period INTEGER,
            tracking INTEGER NOT NULL,
            created_ms INTEGER NOT NULL,
            started_ms INTEGER,
            finished_ms INTEGER,
            state TEXT NOT NULL,
            targeted INTEGER NOT NULL DEFAULT 0,
            excluded INTEGER NOT NULL DEFAULT 0 CHECK (excluded >= 0),
            pending INTEGER NOT NULL DEFAULT 0 CHECK (pending >= 0),
            retrying INTEGER NOT NULL DEFAULT 0 CHECK (retrying >= 0),
            sent INTEGER NOT NULL DEFAULT 0 CHECK (sent >= 0),
            failed INTEGER NOT NULL DEFAULT 0 CHECK (failed >= 0),
            cancelled INTEGER NOT NULL DEFAULT 0 CHECK (cancelled >= 0),
            prepared INTEGER NOT NULL DEFAULT 0,
            app_cursor INTEGER NOT NULL DEFAULT 0,
            page_cursor INTEGER NOT NULL DEFAULT 0,
            value_cursor INTEGER NOT NULL DEFAULT 0,
            subscription_cursor INTEGER NOT NULL DEFAULT 0,
            last_ordinal INTEGER NOT NULL DEFAULT 0,
            expiry_cursor INTEGER NOT NULL DEFAULT 0,
            CHECK (targeted = pending + retrying + sent + failed + cancelled)
        ) STRICT;
INSERT INTO "delivery" VALUES(1,'Spring sale',1,'[1]','all',NULL,NULL,432000,1795694400,1,0,NULL,NULL,1,1795262400000,1795262400000,NULL,'inProgress',2,1,1,0,1,0,0,1,1,0,0,0,3,0);
CREATE TABLE delivery_content (
            delivery_id INTEGER PRIMARY KEY REFERENCES delivery (id),
            content BLOB NOT NULL
        ) STRICT;
INSERT INTO "delivery_content" VALUES(1,X'7B7D');
CREATE TABLE delivery_target (
            delivery_id INTEGER NOT NULL REFERENCES delivery (id),
            page INTEGER NOT NULL,
            listed TEXT NOT NULL,
            PRIMARY KEY (delivery_id, page)
        ) STRICT, WITHOUT ROWID;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('1 spine');
CREATE TABLE instance (
            only INTEGER PRIMARY KEY CHECK (only = 1),
            key_mark BLOB NOT NULL
        ) STRICT;
CREATE TABLE message (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            delivery_id INTEGER NOT NULL,
            app_id INTEGER NOT NULL,
            subscription_id INTEGER NOT NULL,
            state INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            updated_at INTEGER NOT NULL,
            due_at INTEGER,
            failure_type INTEGER,
            failure_reason INTEGER,
            provider_reason TEXT,
            provider_id TEXT
        ) STRICT;
INSERT INTO "message" VALUES(1,1,1,1099511627777,2,0,1795262400,NULL,NULL,NULL,NULL,NULL);
INSERT INTO "message" VALUES(2,1,1,1099511627778,7,0,1795262400,NULL,4,9,'subscription disabled',NULL);
INSERT INTO "message" VALUES(3,1,1,1099511627779,4,1,1795262400,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE part (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            delivery_id INTEGER NOT NULL,
            app_id INTEGER NOT NULL,
            first_id INTEGER NOT NULL,
            last_id INTEGER NOT NULL,
            first_ordinal INTEGER NOT NULL,
            open INTEGER NOT NULL
        ) STRICT;
INSERT INTO "part" VALUES(1,1,1,1,3,1,1);
CREATE TABLE service (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            name TEXT NOT NULL UNIQUE,
            label TEXT NOT NULL
        ) STRICT;
INSERT INTO "service" VALUES(1,'neotrips','Neotrips');
CREATE TABLE subscription (
            id INTEGER PRIMARY KEY,
            app_id INTEGER NOT NULL,
            token ANY NOT NULL,
            user_key TEXT NOT NULL,
            parameters TEXT,
            disabled INTEGER NOT NULL DEFAULT 0,
            created_at INTEGER NOT NULL,
            updated_at INTEGER NOT NULL
        ) STRICT;
INSERT INTO "subscription" VALUES(1099511627777,1,X'AA01','user-1',NULL,0,1795262400,1795262400);
INSERT INTO "subscription" VALUES(1099511627778,1,X'AA02','user-2',NULL,1,1795262400,1795262400);
INSERT INTO "subscription" VALUES(1099511627779,1,'canonical:3','user-3','{"city":"Paris"}',0,1795262400,1795262400);
CREATE TABLE user_key (
            app_id INTEGER NOT NULL,
            user_key TEXT NOT NULL,
            subscription_id INTEGER NOT NULL,
            PRIMARY KEY (app_id, user_key, subscription_id)
        ) STRICT, WITHOUT ROWID;
INSERT INTO "user_key" VALUES(1,'user-1',1099511627777);
INSERT INTO "user_key" VALUES(1,'user-2',1099511627778);
INSERT INTO "user_key" VALUES(1,'user-3',1099511627779);
CREATE UNIQUE INDEX app_name ON app (name) WHERE removed_at IS NULL;
CREATE UNIQUE INDEX app_integration_key ON app (platform, environment, integration_key)
            WHERE removed_at IS NULL;
CREATE UNIQUE INDEX subscription_token ON subscription (app_id, token);
CREATE INDEX delivery_live ON delivery (expires_at)
            WHERE state IN ('startPending', 'preparing', 'inProgress', 'paused');
CREATE UNIQUE INDEX part_of_delivery ON part (delivery_id, last_id);
CREATE INDEX part_open ON part (open) WHERE open = 1;
CREATE INDEX message_due ON message (app_id, due_at, id) WHERE state = 3;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('service',1);
INSERT INTO "sqlite_sequence" VALUES('app',1);
INSERT INTO "sqlite_sequence" VALUES('delivery',1);
INSERT INTO "sqlite_sequence" VALUES('part',1);
INSERT INTO "sqlite_sequence" VALUES('message',3);
