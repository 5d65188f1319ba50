import PushMaster
import PushModel
import PushWire
import TestSupport
import Testing

/// Tests when the master replaces a working child.
@Suite struct ChildReplacementTests {
    /// The value of `maxWorkingSetMb`, which is 128, in kilobytes.
    private static let limitKilobytes: UInt32 = 128 << 10

    @Test(arguments: [0, 1, 300] as [UInt32])
    func `the memory limit of a child grows by 512 KiB with each connection`(connections: UInt32) {
        var world = OneAccountWorld()
        world.find(part: 1, of: 1)
        let limit = Self.limitKilobytes + 512 * connections
        world.second(connections: connections, residentKilobytes: limit)
        #expect(world.drained.isEmpty)
        world.second(connections: connections, residentKilobytes: limit + 1)
        #expect(world.drained.count == 1)
        #expect(
            world.logged.contains {
                $0.contains("more than mta/child/@maxWorkingSetMb, and is being replaced")
            })
        // The child is already draining, so one order is enough.
        world.second(connections: connections, residentKilobytes: limit + 1)
        #expect(world.drained.count == 1)
    }
}
