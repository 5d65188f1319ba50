import PushModel
import PushQueue
import Testing

@Suite struct CauseTableTests {
    @Test func `each cause has one code, and each code stands for one cause`() throws {
        var table = CauseTable()
        let bad = Cause(.hard, .userUnknown, word: "Unregistered")
        let busy = Cause(.soft, .unreachable, word: "Unregistered")
        let first = table.intern(bad)
        #expect(first == (CauseCode(rawValue: 17), true))
        #expect(table.intern(busy) == (CauseCode(rawValue: 18), true))
        #expect(table.intern(bad) == (first.code, false))
        #expect(table[first.code] == bad)
        #expect(table.code(of: busy) == CauseCode(rawValue: 18))
        #expect(table.code(of: Cause(nil, nil, word: "never")) == nil)
        let rows = [
            (code: CauseCode(rawValue: 18), cause: busy), (code: CauseCode(rawValue: 17), cause: bad),
        ]
        #expect(try CauseTable(rows: rows) == table)
    }

    @Test func `the engine's own causes have codes that need no row`() {
        var table = CauseTable()
        #expect(table.intern(Cause(nil, nil, word: "expired")) == (.expired, false))
        #expect(table.intern(Cause(.soft, .unreachable, word: "(child lost)")) == (.childLost, false))
        #expect(table[.stopped] == Cause(nil, nil, word: "stopped"))
        #expect(table[.disabled] == Cause(.hard, .inQuarantine, word: "subscription disabled"))
        #expect(table[.quarantined]?.word == "in quarantine")
        #expect(table[.none] == nil)
        // A cause that only a later version knows: it is counted, but not explained.
        #expect(table[.lastOwn] == nil)
        #expect(table.count == 0)
    }

    @Test func `beyond code 250, a cause is stored as the other cause of its failure type`() throws {
        var table = CauseTable()
        for number in 17...250 {
            let (code, isNew) = table.intern(Cause(.hard, .refused, word: "reason \(number)"))
            #expect(code == CauseCode(rawValue: UInt8(number)) && isNew)
        }
        for type in FailureType.allCases + [nil] {
            let (code, isNew) = table.intern(Cause(type, .refused, word: "one too many"))
            #expect(code == .other(type) && !isNew)
            #expect(table[code] == Cause(type, nil, word: "(other)"))
        }
        #expect(Set((FailureType.allCases + [nil]).map(CauseCode.other)).count == 5)
        #expect(table.intern(Cause(.hard, .refused, word: "reason 250")).isNew == false)
        #expect(table.count == 234)
    }

    @Test func `rows that the table cannot have written are reported as damage`() {
        let cause = Cause(nil, nil, word: "x")
        for codes in [[18], [17, 17], [17, 19], [16], [0], Array(17...251)] as [[UInt8]] {
            #expect(throws: PartDamage(.causes, .code)) {
                try CauseTable(rows: codes.map { (code: CauseCode(rawValue: $0), cause: cause) })
            }
        }
    }
}
