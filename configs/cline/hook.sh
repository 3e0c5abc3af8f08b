#!/bin/sh
# Passes this event of Cline's to citator; to remove it say: citator uninstall cline
exec $command
