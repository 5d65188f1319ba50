import PushSchedule
import Testing

/// Tests the free space below which a file system counts as low.
struct DiskSpaceTests {
    private func disk(free: Int, total: Int) -> DiskSpace {
        DiskSpace(
            folder: "/var", contents: ["the store"], holdsStore: true, freeBytes: free, totalBytes: total)
    }

    /// The values are in MiB.
    private static let cases: [(total: Int, threshold: Int)] = [
        // A twentieth, but at most 2 GiB.
        (10_240, 512), (40_960, 2_048), (4_194_304, 2_048),
        // At least 64 MiB, but a quarter of a very small file system.
        (1_024, 64), (256, 64), (100, 25),
    ]

    @Test(arguments: cases)
    func `a file system counts as low if its free space is below a share of its size, within limits`(
        total: Int, threshold: Int
    ) {
        let (total, threshold) = (total << 20, threshold << 20)
        #expect(disk(free: 0, total: total).threshold == threshold)
        #expect(!disk(free: threshold, total: total).isLow(wasLow: false))
        #expect(disk(free: threshold - 1, total: total).isLow(wasLow: false))
        let end = threshold + threshold / 4
        #expect(disk(free: end - 1, total: total).isLow(wasLow: true))
        #expect(!disk(free: end, total: total).isLow(wasLow: true))
    }
}
