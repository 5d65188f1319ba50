import PushMaster
import PushWire
import Testing

@Suite struct StatusBoardTests {
    @Test
    func `no caller waits for an unresponsive loop, and the loop's last status is returned with its age`()
        throws
    {
        let loop = try Mailbox<LoopEvent>()
        let board = StatusBoard(loop: loop)
        board.publish(
            MasterStatus(
                pid: 1, uptimeSeconds: 2, state: "running", unrecorded: 3, waitingRanges: 4, children: [],
                accounts: []))
        for _ in 0..<2 {
            let status = board.wait()
            #expect(status.ageSeconds >= 0.9 && status.unrecorded == 3)
        }
        #expect(loop.take().count == 1, "it is asked once")
    }
}
