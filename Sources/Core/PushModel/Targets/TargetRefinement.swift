/// Restrictions that leave out some of a target's recipients, regardless of its base.
package struct TargetRefinement: Equatable, Sendable {
    package var exclusion: Target.Exclusion
    /// The sample to which the target is limited; `nil` if it is not limited to a sample.
    package var sample: TargetSample?
    package var isOncePerUser: Bool

    package init(
        excluding exclusion: Target.Exclusion = Target.Exclusion(), sample: TargetSample? = nil,
        isOncePerUser: Bool = false
    ) {
        self.exclusion = exclusion
        self.sample = sample
        self.isOncePerUser = isOncePerUser
    }
}

extension Target {
    /// Returns the target with this refinement, keeping its base and variables.
    package func refined(by refinement: TargetRefinement) -> Target {
        var target = self
        target.exclusion = refinement.exclusion
        target.sample = refinement.sample
        target.isOncePerUser = refinement.isOncePerUser
        return target
    }
}
