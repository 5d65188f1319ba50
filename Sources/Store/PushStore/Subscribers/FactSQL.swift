internal import PushModel

/// SQL that reads the facts that were collected about subscribers.
enum FactSQL {
    /// Returns the column of a fact, from ``joins(_:_:)`` to the table `subscription` with the name `s`.
    /// Times are in seconds.
    static func column(_ fact: CollectedFact) -> String {
        switch fact {
        case .lastActiveAt:
            "CASE WHEN a.active_at > s.updated_at THEN a.active_at ELSE s.updated_at END"
        default: "\(isOfDevice(fact) ? "d" : "s").\(plainColumn(fact))"
        }
    }

    /// Returns the columns of these facts, in their order, each after a comma.
    static func columns(_ facts: [CollectedFact]) -> String {
        facts.map { ", \(column($0))" }.joined()
    }

    /// Returns the joins to the tables of these facts. A server that is free to choose the kind of join would
    /// read a whole table for each page.
    static func joins(_ facts: [CollectedFact], _ dialect: SQLDialect) -> String {
        func join(_ table: String, as name: String) -> String {
            switch dialect {
            case .sqlite: " LEFT JOIN \(table) \(name) ON \(name).subscription_id = s.id"
            case .postgreSQL:
                " LEFT JOIN LATERAL (SELECT * FROM \(table) WHERE subscription_id = s.id LIMIT 1) "
                    + "\(name) ON TRUE"
            }
        }
        return (facts.contains(where: isOfDevice) ? join("device", as: "d") : "")
            + (facts.contains(.lastActiveAt) ? join("activity", as: "a") : "")
    }

    /// Returns an expression, within a query of `subscription`, for the JSON objects of these facts
    /// (``PushModel/MessageFilling``). The facts of devices are missing if there is no device.
    static func objects(_ facts: Set<CollectedFact>, _ dialect: SQLDialect) -> String {
        let sorted = CollectedFact.allCases.filter(facts.contains)
        var objects: [String] = []
        let ofDevice = sorted.filter(isOfDevice)
        if !ofDevice.isEmpty {
            let object = object(ofDevice.map { ($0, "d.\(plainColumn($0))") }, dialect)
            objects.append(
                "coalesce((SELECT \(object) FROM device d WHERE d.subscription_id = subscription.id), '')")
        }
        let others = sorted.filter { !isOfDevice($0) }
        if !others.isEmpty { objects.append(object(others.map { ($0, value($0, dialect)) }, dialect)) }
        return objects.joined(separator: " || ")
    }

    private static func object(
        _ members: [(fact: CollectedFact, value: String)], _ dialect: SQLDialect
    ) -> String {
        let list = members.map { "'\($0.fact.rawValue)', \($0.value)" }.joined(separator: ", ")
        return switch dialect {
        case .sqlite: "json_object(\(list))"
        case .postgreSQL: "CAST(json_build_object(\(list)) AS TEXT)"
        }
    }

    /// Returns the text of a fact that is not about the device.
    private static func value(_ fact: CollectedFact, _ dialect: SQLDialect) -> String {
        let seconds = plainValue(fact)
        guard fact.kind == .date else { return seconds }
        return switch dialect {
        case .sqlite: "strftime('%Y-%m-%dT%H:%M:%SZ', \(seconds), 'unixepoch')"
        case .postgreSQL:
            #"to_char(to_timestamp(\#(seconds)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')"#
        }
    }

    /// Returns an expression for a fact, within a query of `subscription`. Times are in seconds.
    static func plainValue(_ fact: CollectedFact) -> String {
        if fact == .lastActiveAt {
            return """
                coalesce((SELECT a.active_at FROM activity a WHERE a.subscription_id = subscription.id \
                AND a.active_at > subscription.updated_at), subscription.updated_at)
                """
        }
        let column = plainColumn(fact)
        return isOfDevice(fact)
            ? "(SELECT d.\(column) FROM device d WHERE d.subscription_id = subscription.id)"
            : "subscription.\(column)"
    }

    /// Returns facts about one subscription as texts. Facts that the device did not report are missing.
    static func texts(
        _ facts: [CollectedFact], of subscription: SubscriptionID, _ db: any Session
    ) throws -> [CollectedFact: String] {
        guard !facts.isEmpty else { return [:] }
        let columns = facts.map(plainValue).joined(separator: ", ")
        let row = try db.row(
            sql: "SELECT \(columns) FROM subscription WHERE id = ?1", arguments: [subscription.rawValue])
        guard let row else { return [:] }
        var texts: [CollectedFact: String] = [:]
        for (place, fact) in facts.enumerated() {
            if fact.kind == .date {
                let seconds: Int64? = try row[place]
                texts[fact] = seconds.map { WallTime(secondsSince1970: $0).utcText }
            } else {
                texts[fact] = try row[place] as String?
            }
        }
        return texts
    }

    private static func isOfDevice(_ fact: CollectedFact) -> Bool {
        switch fact {
        case .userKey, .createdAt, .registeredAt, .lastActiveAt: false
        case .osLanguage, .osName, .osVersion, .deviceName, .deviceModel, .deviceBrand, .deviceManufacturer:
            true
        }
    }

    private static func plainColumn(_ fact: CollectedFact) -> String {
        switch fact {
        case .userKey: "user_key"
        case .osLanguage: "language"
        case .osName: "os_name"
        case .osVersion: "os_version"
        case .deviceName: "name"
        case .deviceModel: "model"
        case .deviceBrand: "brand"
        case .deviceManufacturer: "manufacturer"
        case .createdAt: "created_at"
        // The column of `lastActiveAt` while there are no reports.
        case .registeredAt, .lastActiveAt: "updated_at"
        }
    }
}

extension TargetMatcher {
    /// Supplies the facts of a subscription.
    /// - Parameter first: The first of the columns with the ``facts``, in their order.
    mutating func note(_ row: any Statement, from first: Int32) {
        for (place, fact) in facts.enumerated() {
            let column = first + Int32(place)
            guard !row.isNull(column) else { continue }
            if fact.kind == .date {
                note(place, seconds: row.integer(column))
            } else {
                let text = unsafe row.bytes(column)
                note(place, text: unsafe text.span)
            }
        }
    }
}

extension TargetExpression {
    /// Returns the facts that names in the expression can mean in an app. The app's declarations are read
    /// only if the expression uses the name of a fact.
    func knownFacts(of app: AppID, _ db: any Session) throws -> Set<CollectedFact> {
        guard parameterNames.contains(where: { CollectedFact(rawValue: $0) != nil }) else { return [] }
        let declared = try db.value(
            String.self, sql: "SELECT parameters FROM app WHERE id = ?1", arguments: [app.rawValue])
        return CollectedFact.known(
            besides: try StoredJSON.decode([StoredParameter].self, from: declared ?? "[]")
                .map { ParameterDeclaration(name: $0.name, kind: .text) })
    }
}

extension HotSQL {
    /// The parameters are those of `prepareByExpression`. The columns of the facts follow its columns.
    /// - Parameter withParameters: Whether the parameters of each subscription are read; otherwise NULL.
    static func prepareByFacts(
        _ facts: [CollectedFact], withParameters: Bool = true, _ dialect: SQLDialect
    ) -> String {
        """
        SELECT s.id, s.disabled, \(withParameters ? "s.parameters" : "NULL")\(FactSQL.columns(facts))
        FROM subscription s\(FactSQL.joins(facts, dialect))
        WHERE s.id > ?1 AND s.id <= ?2 ORDER BY s.id LIMIT ?3
        """
    }
}
