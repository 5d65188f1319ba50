internal import PushMaster

extension Instance {
    /// Tells a running master that the store was changed behind its back.
    func nudgeMaster() { ControlClient.nudge(storePath: storePath) }

    /// What a running master says of itself; nil where none runs, or where it does not answer: what is asked for beside
    /// it is shown all the same.
    var masterStatus: MasterStatus? {
        guard let status = try? ControlClient.status(storePath: storePath) else { return nil }
        return status
    }
}
