internal import PushModel
internal import PushSystem

/// Copies the rows of one table, page by page in the order of its key.
struct TableCopy {
    let table: StoreTable
    /// A session within a transaction that sees one moment.
    let source: any Session
    let destination: Connection

    /// - Returns: The number of rows in the table.
    func run(_ proceed: (_ rows: Int) throws -> Void) throws -> Int {
        var pace = CopyPace()
        var last: [SQLValue] = []
        var count = 0
        while true {
            let start = Clocks.monotonic()
            let page = try read(after: last, limit: pace.rows)
            if !page.rows.isEmpty { try write(page) }
            count += page.rows.count
            try proceed(count)
            guard page.rows.count == pace.rows, let end = page.rows.last else { return count }
            last = try table.key.map { name in
                guard let column = page.names.firstIndex(of: name) else { throw UnreadableValue() }
                return end[column]
            }
            pace.note(milliseconds: Clocks.monotonic().milliseconds(since: start))
        }
    }

    private struct Page {
        var names: [String] = []
        var rows: [[SQLValue]] = []
    }

    private func read(after last: [SQLValue], limit: Int) throws -> Page {
        let statement = try source.statement(table.page("*", isFirst: last.isEmpty))
        defer { statement.reset() }
        statement.bind([.integer(Int64(limit))] + last)
        var page = Page()
        var columns: Range<Int32> = 0..<0
        while try statement.next() {
            if page.rows.isEmpty {
                page.names = statement.columnNames
                columns = 0..<Int32(page.names.count)
            }
            page.rows.append(columns.map { statement.value($0) })
        }
        for (column, name) in page.names.enumerated() where name == table.tokens {
            for row in page.rows.indices {
                page.rows[row][column] = .token(StoredToken.text(of: page.rows[row][column]))
            }
        }
        return page
    }

    private func write(_ page: Page) throws {
        let names = page.names.map { "\"\($0)\"" }.joined(separator: ", ")
        let values = page.names.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let later = table.laterReference.flatMap { page.names.firstIndex(of: $0) }
        try destination.write("copy table \(table.name)") { db in
            let statement = try db.statement("INSERT INTO \(table.quotedName) (\(names)) VALUES (\(values))")
            for row in page.rows {
                try checkTexts(row, page.names, db)
                for (column, value) in row.enumerated() {
                    statement.bind(column == later ? .null : value, at: Int32(column + 1))
                }
                try statement.run()
            }
        }
    }

    /// Refuses text that contains a zero byte. SQLite can store such text, but PostgreSQL cannot.
    private func checkTexts(_ row: [SQLValue], _ names: [String], _ db: any Session) throws {
        guard db.dialect == .postgreSQL else { return }
        for (value, name) in zip(row, names) {
            guard case .text(let text) = value, text.utf8.contains(0) else { continue }
            let what = """
                table \(table.name) cannot store a row's \(name): the value contains a zero byte, which \
                PostgreSQL does not store; remove the byte from the source
                """
            throw StoreError(.unsound(what: what), path: destination.path)
        }
    }

    /// Sets the values of the column that refers to a later table. That table had not been copied when the
    /// rows of this table were copied.
    func copyLaterReference() throws {
        guard let column = table.laterReference, let key = table.key.first else { return }
        var last: Int64 = .min
        while true {
            let rows = try source.rows(
                sql: """
                    SELECT \(key), \(column) FROM \(table.quotedName) WHERE \(key) > ?2 AND \(column) IS NOT \
                    NULL
                    ORDER BY \(key) LIMIT ?1
                    """, arguments: [Self.referencesPerStep, last])
            guard let end = rows.last else { return }
            try destination.write("copy table \(table.name)") { db in
                for row in rows {
                    try db.execute(
                        sql: "UPDATE \(table.quotedName) SET \(column) = ?2 WHERE \(key) = ?1",
                        arguments: [try row[0] as Int64, try row[1] as Int64])
                }
            }
            last = try end[0]
        }
    }

    private static let referencesPerStep = 500
}
