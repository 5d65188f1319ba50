internal import PushModel

/// Tells which records of an import are new, which change something and which say what the store knows.
struct SubscriberLookUp {
    struct Sorted {
        var new: [UInt32] = []
        var changed: [UInt32] = []
        var unchanged: [UInt32] = []
    }

    private let statement: any Statement

    init(_ db: any Session, _ app: AppID) throws {
        statement = try db.statement(HotSQL.findByToken)
        statement.bind(app.rawValue, at: 1)
    }

    func sort(_ indices: ArraySlice<UInt32>, of records: [SubscriberRecord]) throws -> Sorted {
        var sorted = Sorted()
        for index in indices {
            let record = records[Int(index)]
            statement.bind(token: record.token, at: 2)
            guard try statement.next() else {
                sorted.new.append(index)
                continue
            }
            let isSame =
                says(column: 1, record.userKey) && (record.parametersJSON.map { says(column: 2, $0) } ?? true)
            statement.reset()
            if isSame { sorted.unchanged.append(index) } else { sorted.changed.append(index) }
        }
        return sorted
    }

    private func says(column: Int32, _ text: String) -> Bool {
        unsafe statement.bytes(column).elementsEqual(text.utf8)
    }
}
