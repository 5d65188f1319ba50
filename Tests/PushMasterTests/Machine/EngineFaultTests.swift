import PushMaster
import PushModel
import Testing

/// Tests how the master reacts if a guarantee of the engine is broken.
@Suite struct EngineFaultTests {
    private static let delivery = DeliveryID(rawValue: 1)

    @Test func `outcomes for another child's grant are discarded, and their delivery is put on hold`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        world.find(part: 101, of: 2)
        world.misreport(of: 1, as: ChildID(rawValue: 99))
        #expect(world.unrecorded == 20)
        #expect(world.heldBack.map(\.delivery) == [Self.delivery])
        let reason = world.heldBack.first?.why ?? ""
        #expect(reason.hasPrefix("engine fault (grant_outcome): ") && reason.contains("which belongs to"))
        #expect(world.logged.contains { $0.contains(reason) })
        // The child that has the grant reports it as before, and also reports the grant for the other
        // delivery.
        world.accept(of: 1)
        world.accept(of: 2)
        #expect(world.unrecorded == 0 && world.heldBack.count == 1)
    }

    @Test func `outcomes that are reported twice are counted once, and their delivery is put on hold`() {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        world.misreport(of: 1, as: nil)
        #expect(world.unrecorded == 0)
        #expect(world.heldBack.map(\.delivery) == [Self.delivery])
        #expect(
            world.heldBack.first?.why.contains("10 outcomes more than the number of messages in grant")
                == true)
    }
}
