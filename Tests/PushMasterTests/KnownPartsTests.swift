import PushMaster
import PushModel
import Testing

@Suite struct KnownPartsTests {
    private func part(_ id: Int64, of delivery: Int64) -> Part {
        Part(
            id: PartID(rawValue: id), delivery: DeliveryID(rawValue: delivery), app: AppID(rawValue: 1),
            messages: MessageID(rawValue: id * 10)...MessageID(rawValue: id * 10 + 9), firstOrdinal: 1)
    }

    @Test func `parts go one by one, and with their delivery`() {
        var parts = KnownParts()
        for (id, delivery) in [(1, 7), (2, 7), (3, 8), (3, 8)] as [(Int64, Int64)] {
            parts.insert(part(id, of: delivery))
        }
        parts.remove(PartID(rawValue: 1))
        #expect(parts[PartID(rawValue: 1)] == nil && parts[PartID(rawValue: 2)] != nil)
        parts.removeAll(of: DeliveryID(rawValue: 7))
        #expect(parts[PartID(rawValue: 2)] == nil)
        #expect(parts[PartID(rawValue: 3)] == part(3, of: 8))
        parts.remove(PartID(rawValue: 9))
        parts.removeAll(of: DeliveryID(rawValue: 7))
        #expect(parts[PartID(rawValue: 3)] != nil)
    }
}
