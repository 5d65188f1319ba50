import PushChild
import PushModel
import Testing

@Suite struct WaitingGrantsTests {
    @Test
    func `grants with higher priorities come first, and grants with equal priorities in order of arrival`() {
        var grants = WaitingGrants()
        grants.append(1, .veryLow)
        grants.append(2, .normal)
        #expect(grants.firstUrgent == nil && grants.first == 2)
        grants.append(3, .high)
        grants.append(4, .veryHigh)
        grants.append(5, .veryHigh)
        #expect(grants.count == 5)
        var order: [Int] = []
        while let place = grants.first {
            #expect(grants.firstUrgent == (place > 2 ? place : nil))
            order.append(place)
            grants.removeFirst()
        }
        #expect(order == [4, 5, 3, 2, 1])
        grants.removeFirst()
        #expect(grants.isEmpty && grants.count == 0)
    }

    @Test func `some or all waiting grants can be removed, each once`() {
        var grants = WaitingGrants()
        for place in 0..<10 { grants.append(place, DeliveryPriority.allCases[place % 5]) }
        let even = grants.removeAll { $0 % 2 == 0 }
        #expect(even.sorted() == [0, 2, 4, 6, 8] && grants.count == 5)
        let rest = grants.removeAll()
        #expect(rest == [9, 3, 7, 1, 5] && grants.isEmpty)
    }
}
