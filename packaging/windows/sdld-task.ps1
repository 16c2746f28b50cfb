# Starts the symbol ledger's daemon when its user logs on, as a scheduled task. Needs no administrator.
#   sdld-task.ps1 -Daemon C:\path\to\sdld.exe      registers the task and starts it
#   sdld-task.ps1 -Unregister                      stops it and takes it away
# Not run on Windows yet: checked by reading only (and by the parser, where `cargo xtask check-units` finds PowerShell).
param(
    [string]$Daemon,
    [switch]$Unregister
)
$ErrorActionPreference = 'Stop'
Set-StrictMode -Version Latest
$name = 'sdld'
$user = [System.Security.Principal.WindowsIdentity]::GetCurrent().Name

$existing = Get-ScheduledTask -TaskName $name -ErrorAction SilentlyContinue
if ($Unregister) {
    if ($existing) {
        Stop-ScheduledTask -TaskName $name
        Unregister-ScheduledTask -TaskName $name -Confirm:$false
    }
    return
}
if (-not $Daemon -or -not (Test-Path -LiteralPath $Daemon -PathType Leaf)) {
    throw "-Daemon has to name sdld.exe; got '$Daemon'"
}

$action = New-ScheduledTaskAction -Execute (Resolve-Path -LiteralPath $Daemon).Path
$trigger = New-ScheduledTaskTrigger -AtLogOn -User $user
$principal = New-ScheduledTaskPrincipal -UserId $user -LogonType Interactive -RunLevel Limited
# No time limit, also on battery, and again a minute after a crash.
$settings = New-ScheduledTaskSettingsSet -ExecutionTimeLimit ([TimeSpan]::Zero) -AllowStartIfOnBatteries `
    -DontStopIfGoingOnBatteries -MultipleInstances IgnoreNew -RestartCount 5 -RestartInterval (New-TimeSpan -Minutes 1) `
    -Priority 6
Register-ScheduledTask -TaskName $name -Description 'Symbol ledger for coding agents' -Action $action `
    -Trigger $trigger -Principal $principal -Settings $settings -Force | Out-Null
Start-ScheduledTask -TaskName $name
